BEGIN TRANSACTION;
CREATE TABLE earlier_verdict (
    run INTEGER NOT NULL, suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    replaced TEXT NOT NULL, tool TEXT NOT NULL, verdict TEXT NOT NULL
);
CREATE TABLE incident (
    run INTEGER NOT NULL REFERENCES run,
    suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    at TEXT NOT NULL, what TEXT NOT NULL
);
INSERT INTO "incident" VALUES(3,0,'case_02',1,'2026-12-01T02:53:54+00:00','it was not started within 60 s');
CREATE TABLE run (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    tool TEXT NOT NULL,
    python TEXT NOT NULL,
    host TEXT NOT NULL,
    scratch TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL DEFAULT '',
    resumes INTEGER NOT NULL DEFAULT 0,
    self_check TEXT
);
INSERT INTO "run" VALUES(1,'a81d524aeaa43e46ecdf016713985cd1','{"solution": {"type": "command", "given": "sh agent.sh", "command": ["sh", "agent.sh"], "cwd": "/home/me", "timeout": 600.0, "stdin": null, "setup_cmd": null, "manifest_envvar": "TRAP_MANIFEST", "name": null, "profile": {}}, "suites": [{"halves": {"public": "/home/me/traps/toy", "private": "/home/me/traps/toy/expected"}, "recipe": {"family": "toy", "version": "1", "seed": "340282366920938463463374607431768211456", "knobs": {"lines": 6, "largest": 50, "hidden": 3}, "count": 2}, "digest": "4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665", "cases": ["case_01", "case_02"], "true_rate": null}], "trials": 2, "limit": 2.0, "isolate": false, "fresh_home": false, "env": [], "files": {"agent.sh": "0884aabf4c25c985e06a8cc04c7f2d863243cf590f1a5d75160988d743500375"}}',1,'0.1.0','3.11.7','{"system": "Linux", "release": "6.1.0", "machine": "x86_64", "cpus": 2, "load": 5.19}','/tmp/trapcli-0222cffeb61c063a','2026-12-01T05:14:07+00:00','2026-12-01T05:14:07+00:00',0,NULL);
INSERT INTO "run" VALUES(2,'3f2f5279495172a61b788e8fa5414fa3','{"solution": {"type": "command", "given": "mine", "command": ["sh", "agent.sh"], "cwd": "/home/me/mine", "timeout": 5.0, "stdin": null, "setup_cmd": null, "manifest_envvar": "TRAP_MANIFEST", "name": "mine", "profile": {"model": ["m-1"]}}, "suites": [{"halves": {"public": "/home/me/traps/toy", "private": "/home/me/traps/toy/expected"}, "recipe": {"family": "toy", "version": "1", "seed": "340282366920938463463374607431768211456", "knobs": {"lines": 6, "largest": 50, "hidden": 3}, "count": 2}, "digest": "4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665", "cases": ["case_01", "case_02"], "true_rate": null}], "trials": 1, "limit": 5.0, "isolate": true, "fresh_home": false, "env": ["MODEL"], "files": {"agent.sh": "09fc1e403f4f06d94d144a5aea0a0826dcf3819b85df9c88cf8c658598bbad93"}}',1,'0.1.0','3.11.7','{"system": "Linux", "release": "6.1.0", "machine": "x86_64", "cpus": 2, "load": 5.19}','/tmp/trapcli-0222cffeb61c063a','2026-12-01T05:14:08+00:00','2026-12-01T05:14:08+00:00',0,NULL);
INSERT INTO "run" VALUES(3,'46717714bfd5de8ba3048f6c88a98f4c','{"solution": {"type": "builtin", "given": "builtin:flaky:0.5:abc", "cwd": "/home/me", "mistake": "", "chance": 0.5, "seed": "abc"}, "suites": [{"halves": {"public": "/home/me/traps/toy", "private": "/home/me/traps/toy/expected"}, "recipe": {"family": "toy", "version": "1", "seed": "340282366920938463463374607431768211456", "knobs": {"lines": 6, "largest": 50, "hidden": 3}, "count": 2}, "digest": "4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665", "cases": ["case_01", "case_02"], "true_rate": 0.25}], "trials": 1, "limit": 600.0, "isolate": false, "fresh_home": false, "env": [], "files": {}}',2,'0.1.0','3.11.7','{"system": "Linux", "release": "6.1.0", "machine": "x86_64", "cpus": 2, "load": 5.25}','/tmp/trapcli-0222cffeb61c063a','2026-12-01T05:14:09+00:00','',1,NULL);
CREATE TABLE suite (
    run INTEGER NOT NULL REFERENCES run, position INTEGER NOT NULL,
    digest TEXT NOT NULL, changed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, position)
);
INSERT INTO "suite" VALUES(1,0,'4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665',0);
INSERT INTO "suite" VALUES(2,0,'4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665',0);
INSERT INTO "suite" VALUES(3,0,'4996c3f70f5e5b4daee2607383eb9d778ad01acfe84236ef6ba33655e7d75665',0);
CREATE TABLE trial (
    run INTEGER NOT NULL REFERENCES run,
    suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    status TEXT NOT NULL, verdict TEXT NOT NULL,
    exit_code INTEGER NOT NULL, timed_out INTEGER NOT NULL, limit_s REAL NOT NULL, seconds REAL NOT NULL,
    stdout TEXT NOT NULL, stderr TEXT NOT NULL,
    stragglers TEXT NOT NULL, usage TEXT,
    running INTEGER NOT NULL, load REAL NOT NULL, started TEXT NOT NULL,
    files TEXT,
    PRIMARY KEY (run, suite, case_id, number)
);
INSERT INTO "trial" VALUES(1,0,'case_01',1,'crashed','{"id": "case_01", "family": "toy", "trap": "late_amount", "score": 0.0, "status": "crashed", "reason": "exit code 3; nothing was printed", "mistake": null, "partial_credit": 0.0, "output_status": "empty", "notes": [], "details": {}}',3,0,2.0,2.16004300000349758192e-02,'{"file": "", "size": 0, "kept": 0, "head": "", "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}','{"file": "case_01-1-eb6abe13.stderr", "size": 9, "kept": 9, "head": "7468", "digest": "50566750337beb9e98e553fd9196d10576f9eb0cbc6b66e2586b9d73af4f352f"}','[]',NULL,1,5.1875,'2026-12-01T05:14:07+00:00',NULL);
INSERT INTO "trial" VALUES(1,0,'case_02',1,'unreadable','{"id": "case_02", "family": "toy", "trap": "void_amount", "score": 0.0, "status": "unreadable", "reason": "there is no whole number in it", "mistake": null, "partial_credit": 0.0, "output_status": "unreadable", "notes": [], "details": {}}',0,0,2.0,2.91768589995626825839e-02,'{"file": "case_02-1-628ebd24.stdout", "size": 8, "kept": 8, "head": "6e6f", "digest": "7caa77e3359e13a8d48b1721941d45c60937fceeab4e3a54f357301bf926021c"}','{"file": "case_02-1-628ebd24.stderr", "size": 9, "kept": 9, "head": "7468", "digest": "50566750337beb9e98e553fd9196d10576f9eb0cbc6b66e2586b9d73af4f352f"}','[]',NULL,1,5.1875,'2026-12-01T05:14:07+00:00',NULL);
INSERT INTO "trial" VALUES(1,0,'case_01',2,'failed','{"id": "case_01", "family": "toy", "trap": "late_amount", "score": 0.0, "status": "failed", "reason": "2 is not the sum", "mistake": null, "partial_credit": 0.0, "output_status": "failed", "notes": [], "details": {"sum": 2}}',0,0,2.0,3.32977229991229251027e-02,'{"file": "case_01-2-ad9e7986.stdout", "size": 2, "kept": 2, "head": "320a", "digest": "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3"}','{"file": "case_01-2-ad9e7986.stderr", "size": 9, "kept": 9, "head": "7468", "digest": "50566750337beb9e98e553fd9196d10576f9eb0cbc6b66e2586b9d73af4f352f"}','[]',NULL,1,5.1875,'2026-12-01T05:14:07+00:00',NULL);
INSERT INTO "trial" VALUES(1,0,'case_02',2,'failed','{"id": "case_02", "family": "toy", "trap": "void_amount", "score": 0.0, "status": "failed", "reason": "3 is not the sum", "mistake": null, "partial_credit": 0.0, "output_status": "failed", "notes": [], "details": {"sum": 3}}',0,0,2.0,1.67551390004518907517e-02,'{"file": "case_02-2-e683b7ce.stdout", "size": 2, "kept": 2, "head": "330a", "digest": "1121cfccd5913f0a63fec40a6ffd44ea64f9dc135c66634ba001d10bcf4302a2"}','{"file": "case_02-2-e683b7ce.stderr", "size": 9, "kept": 9, "head": "7468", "digest": "50566750337beb9e98e553fd9196d10576f9eb0cbc6b66e2586b9d73af4f352f"}','[]',NULL,1,5.1875,'2026-12-01T05:14:07+00:00',NULL);
INSERT INTO "trial" VALUES(2,0,'case_01',1,'failed','{"id": "case_01", "family": "toy", "trap": "late_amount", "score": 0.0, "status": "failed", "reason": "7 is not the sum", "mistake": null, "partial_credit": 0.0, "output_status": "failed", "notes": [], "details": {"sum": 7}}',0,0,5.0,2.67447499991249060258e-02,'{"file": "case_01-1-eccc45c8.stdout", "size": 2, "kept": 2, "head": "370a", "digest": "10159baf262b43a92d95db59dae1f72c645127301661e0a3ce4e38b295a97c58"}','{"file": "", "size": 0, "kept": 0, "head": "", "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}','[]',NULL,1,5.2529296875,'2026-12-01T05:14:08+00:00',NULL);
INSERT INTO "trial" VALUES(2,0,'case_02',1,'failed','{"id": "case_02", "family": "toy", "trap": "void_amount", "score": 0.0, "status": "failed", "reason": "7 is not the sum", "mistake": null, "partial_credit": 0.0, "output_status": "failed", "notes": [], "details": {"sum": 7}}',0,0,5.0,1.69111909999628551304e-02,'{"file": "case_02-1-6e9a8ea0.stdout", "size": 2, "kept": 2, "head": "370a", "digest": "10159baf262b43a92d95db59dae1f72c645127301661e0a3ce4e38b295a97c58"}','{"file": "", "size": 0, "kept": 0, "head": "", "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}','[]',NULL,1,5.2529296875,'2026-12-01T05:14:08+00:00',NULL);
INSERT INTO "trial" VALUES(3,0,'case_01',1,'failed','{"id": "case_01", "family": "toy", "trap": "late_amount", "score": 0.0, "status": "failed", "reason": "134 is not the sum", "mistake": "late_counted", "partial_credit": 0.0, "output_status": "failed", "notes": [], "details": {"sum": 134}}',0,0,600.0,2.91068802000154391862e-01,'{"file": "case_01-1-035fbd67.stdout", "size": 16, "kept": 16, "head": "5468", "digest": "68068f8124241ab0104fddd2180c621ebfb3dccb7ff3709b650263f924d28ad0"}','{"file": "", "size": 0, "kept": 0, "head": "", "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}','[]',NULL,1,5.2529296875,'2026-12-01T05:14:09+00:00',NULL);
CREATE INDEX suite_digest ON suite (digest);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('run',3);
PRAGMA user_version = 2;
COMMIT;
