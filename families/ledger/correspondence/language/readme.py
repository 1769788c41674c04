"""What a case's README says about its mails; the same words in every case."""

SECTION = """\
## Customers' mails

`correspondence/` holds the mails between some customers and our receivables department, one a file,
named by date. They say where these customers' receipts go. Customers who write none, and all receipts
that no instruction concerns, are settled by the practice of the memo. The customers who write have an
account of their own; on it no rest is ever written off, whatever the memo shows.

### Where a receipt goes

A receipt goes to invoices of its customer that are dated on or before its day and not yet paid. They
are taken in order, and each gets what is open on it until the receipt is used up. In that order, what
stands first here goes before what stands later:

1. A **disputed** invoice, one that we are told to leave out, gets nothing of any receipt while that
   lasts, whatever else is said.
2. A **one-off** concerns a single receipt. Invoices that it names are paid in the order named, the
   invoices of a group or of a branch the oldest first; a part amount goes to its invoice, as far as that
   is open. What then remains of the receipt is settled as if it were a receipt of its own (only the
   limit of 4 looks at the whole receipt), unless the one-off names a sequence for it that holds
   "whatever holds otherwise": then 3 and 4 do not count. A one-off that keeps a branch out of a receipt
   leaves 3 and 4 as they are for the other branches.
3. A **branch that comes first**: its invoices go before all others. Only one branch comes first at a
   time, and the sequence of 4 holds within its invoices and within the others.
4. The **sequence**. A receipt of more than a **limit** has the special sequence that goes with the
   limit, if there is one. For all others the general sequence holds, and where there is none, the
   practice of the memo (what a receipt cites counts for the practice only, and only the practice can
   leave some of a receipt unapplied). Large and small go by what is open on an invoice just then, old and
   new by its date. Of equal amounts the older invoice goes first.

### How mails are read

- An instruction holds from the day of its mail, receipts of that day included, unless it names another
  first day. It holds until a mail changes or ends it, unless it names a last day.
- "From" a day includes that day, "after" a day does not. "Until", "through", "up to and including" and
  "last day" include the day. "This" and "it" in a sentence about days mean the order just before.
- There are four matters: the general sequence, the special sequence with its limit, the branch that
  comes first, and disputes, each invoice by itself. A later instruction (one with a later first day)
  replaces an earlier one on the same matter and leaves the other matters alone. One that names no limit
  is about the general sequence, also if it leaves the sequence to our practice; one by which no branch
  comes first any more is about the branch. There is one limit at a time; a mail that changes it leaves
  the sequence that goes with it.
- When an instruction ends, or its last day is over, the one that it had replaced on its matter holds
  again, if that has not ended too. What was booked meanwhile stays.
- A mail that **corrects** an earlier one counts as if the earlier mail had been right from the start. A
  mail that we are asked to **disregard** counts as never sent. A one-off for a receipt that has already
  arrived counts as if it had come in time. In these three cases receipts are booked anew.
- Invoices are named by their vouchers or by what is true of one invoice of the customer only; amounts
  of invoices are those billed. The next transfer is the customer's first receipt dated after the mail,
  the latest one its last receipt dated before the mail. The first (or only) transfer of a month is the
  first (only) one dated in that month. An earlier mail is named by its day: a customer has one mail a
  day at most.
- A condition is met or not as a later mail of the customer reports; an order that depends on it holds
  from the day that it names, whenever the report comes.
- What is announced subject to a confirmation counts from the day of the mail that confirms it, and what
  our clerk proposes from the day of the mail in which the customer agrees to it; without one it does
  not count.
- Only instructions of the customer's own persons about this account count. A mail is about the account
  of the customer that its header names, unless it says otherwise. If a customer leaves a matter to a
  person of another customer from a day on, that person's instructions on that matter in mails of that
  day and later hold for both, in the same way and for the same time, and so does what later ends,
  extends, corrects or takes back these instructions.
- If a person's word does not count from a day on, this concerns the mails of that day and later. What
  the person wrote before stays.
- Reasons, questions, opinions, wishes, reports of what others do, and talk of other accounts change
  nothing.
"""


def readme_section() -> str:
    """Return the section, with a heading of the second level."""
    return SECTION
