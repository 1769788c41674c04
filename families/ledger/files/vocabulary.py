"""The names and sentences that cases are made of, all invented. Their order is part of every seed's cases."""

NAMES = """
Abbot Almond Amber Anvil Aspen Bantry Barley Beech Birch Bittern Blackwell Bolton Brook Burdock
Cairn Calder Canter Cedar Chandler Clement Clover Cobble Corran Curlew Damson Darrow Dunlin Elder
Ennis Falcon Fenwick Finch Flint Forde Gable Garnet Gorse Hadrian Harrow Hazel Heath Holt Hurst
Ivory Jarvis Kelso Kendal Kilner Lambert Larch Linden Lomond Lorne Marlow Medlar Merrow Mercer Moor
Nettle Norden Oakley Orrin Oswin Pardoe Penrose Pike Plover Quill Rafter Ravel Redfern Rowan Sable
Sedge Selwyn Sorrel Stour Tallis Tarn Teasel Thorne Tilney Upton Vale Varley Wicken Willet Wren
Yardley
"""
TRADES = """
Bakeries Boatyard Brewing Builders Catering Ceramics Chemists Clinics Coaches Cycles Dairies
Electrical Farms Fittings Florists Foods Freight Furniture Garages Glass Hotels Interiors Joinery
Kitchens Laundry Lighting Logistics Marine Media Motors Nurseries Optics Outfitters Packaging Paper
Plumbing Press Printers Roofing Schools Steel Stores Textiles Tiles Timber Tools Toys Travel
Upholstery Wines
"""
COMPANY, TRADE = tuple(NAMES.split()), tuple(TRADES.split())

ACCOUNTS = (
    "Trade receivables",
    "Accounts receivable",
    "Customers, trade",
    "Receivables from customers",
    "Trade debtors",
    "Amounts due from customers",
)
MAIL_ACCOUNTS = (
    "Trade receivables, contracts",
    "Builders' accounts",
    "Customers on account terms",
    "Contract customers",
)
MAIL_NOTES = ("orders by phone", "two delivery sites", "collects in person", "price list C", "new premises")
OTHER_ACCOUNTS = (
    "Returnable packaging",
    "Disputed items",
    "Staff purchases",
    "Rental guarantees paid",
    "Advances to suppliers",
    "Instalment sales",
)
BILLED = (
    "Goods invoiced",
    "Services invoiced",
    "Delivery invoiced",
    "Repair invoiced",
    "Hire invoiced",
    "Order invoiced",
)
RECEIVED = (
    "Bank transfer",
    "Cheque paid in",
    "Card payment",
    "Lockbox receipt",
    "Payment portal",
    "Wire received",
)
TOWNS = (
    "Hull",
    "Leeds",
    "Derby",
    "York",
    "Exeter",
    "Bristol",
    "Lincoln",
    "Durham",
    "Norwich",
    "Oxford",
)
CLOSED_OUT = (
    "Open items sold to the factor",
    "Closed out: open items sold",
    "All items assigned to the bank",
    "Cleared: items taken by parent",
    "Open items bought by the bank",
)
INVOICE_TYPES = (("invoice", "IN"), ("sales invoice", "SI"), ("tax invoice", "TI"), ("bill", "BL"))
OTHER_TYPES = (
    ("delivery note", "DN"),
    ("sales order", "SO"),
    ("work order", "WO"),
    ("pro forma", "PF"),
    ("contract call", "CC"),
)

JOURNAL_PAPER = ("journal slip", "JS")
RETURNED, CREDITED = "Returned unpaid", "Credit note"
MOVED_FROM, MOVED_TO = "Receipt moved from here", "Receipt moved to here"

# (the code whose line has the note, the note): an account continues under a new code.
SUCCESSIONS = (
    ("old", "re-coded to {new} from {day}"),
    ("old", "account continues as {new} since {day}"),
    ("old", "same account under {new} from {day}"),
    ("new", "formerly {old}, re-coded on {day}"),
    ("new", "account of {old}, new code since {day}"),
)
PAYERS = ("pays for {code}", "settles the invoices of {code}", "paying office of {code}, is never billed")
NOTES = (
    "statement by e-mail",
    "credit limit reviewed each spring",
    "orders by phone",
    "two delivery sites",
    "invoices to head office",
    "new contact at reception",
    "price list B",
    "collects in person",
    "sister company of {code}, an account of its own",
    "shares a building with {code}, not the same customer",
    "buys together with {code}, but pays for itself",
)
CURRENT, RETIRED = "active", "retired"

MEMO_TITLES = (
    "Allocation memo",
    "How receipts were put to invoices",
    "Receipts and invoices: working memo",
    "Cash allocation, working paper",
)
MEMO_STARTS = (
    "Receipts that were put to invoices by hand, in the order of their dates. Some in between are left out.",
    "This is how cash was put to invoices, by date. Not every receipt was gone through.",
    "Worked through in date order, except what a colleague has on the desk.",
)
UNAPPLIED = (
    "What a receipt brings beyond all that its customer owes on the day is unapplied, and stays so: it is "
    "never carried forward to a later invoice.",
    "If a receipt exceeds everything its customer owes on its date, the excess is unapplied for good. It is "
    "not kept for invoices that come later.",
    "Cash for which the customer has no open invoice on the day is unapplied, and is not set against any "
    "invoice afterwards.",
)
MEMO_ENDS = (
    "Nothing after this one has been worked through.",
    "The memo stops here.",
    "Not continued.",
)
WITHDRAWN = (
    "The line of {receipt} is withdrawn: it was made from the wrong papers. Take {receipt} as not worked "
    "through.",
    "{receipt}: what the memo shows for it is not right and no longer stands. It counts as a receipt that "
    "was not worked through.",
    "Please strike the line of {receipt} from the memo. It was a mistake, and nothing has been put in its "
    "place.",
)
REMARKS = (
    "Bank slips of the year are in binder {n}.",
    "Asked the bank for copies of two statements; nothing new in them.",
    "Printed the memo for the file, {n} pages.",
    "The receipt {receipt} was looked at again; its line stands.",
    "Question about {receipt} answered by phone, no change.",
    "Invoices of the year are numbered without a break as far as I could see.",
)
