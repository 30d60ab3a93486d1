BEGIN TRANSACTION;
CREATE TABLE annotators (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	token_hash TEXT, 
	state TEXT NOT NULL, 
	qualified TEXT NOT NULL, 
	quota INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	UNIQUE (token_hash)
);
INSERT INTO "annotators" VALUES(1,'ann','a83154af590a79d6b84136f53f464752512c7b297ad5d6c2f283928aaad10898','active','passed',NULL);
INSERT INTO "annotators" VALUES(2,'bob','6b8f2d379e7004bc19dc6347e9936a14741ec270874e71815371fd493502bb2e','active','passed',NULL);
CREATE TABLE assignments (
	id INTEGER NOT NULL, 
	annotator INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	item INTEGER NOT NULL, 
	repeat BOOLEAN NOT NULL, 
	proposal INTEGER, 
	shown TEXT NOT NULL, 
	answered BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (annotator, position), 
	FOREIGN KEY(annotator) REFERENCES annotators (id), 
	FOREIGN KEY(item) REFERENCES items (id)
);
INSERT INTO "assignments" VALUES(1,1,1,3,0,NULL,'[0, 1]',1);
INSERT INTO "assignments" VALUES(2,1,2,10,0,NULL,'[1, 2, 0]',1);
INSERT INTO "assignments" VALUES(3,1,3,12,0,NULL,'[0, 2, 1]',1);
INSERT INTO "assignments" VALUES(4,1,4,5,0,NULL,'[1, 0, 2]',1);
INSERT INTO "assignments" VALUES(5,1,5,6,0,NULL,'[2, 1, 0]',1);
INSERT INTO "assignments" VALUES(6,1,6,4,0,NULL,'[0, 2, 3, 1]',1);
INSERT INTO "assignments" VALUES(7,1,7,1,0,NULL,'[1, 2, 0]',1);
INSERT INTO "assignments" VALUES(8,1,8,11,0,NULL,'[2, 1, 0]',0);
INSERT INTO "assignments" VALUES(9,2,1,8,0,NULL,'[0, 2, 1]',1);
INSERT INTO "assignments" VALUES(10,2,2,2,0,NULL,'[1, 0, 2]',1);
INSERT INTO "assignments" VALUES(11,2,3,9,0,NULL,'[0, 1]',1);
INSERT INTO "assignments" VALUES(12,2,4,7,0,NULL,'[0, 1]',1);
CREATE TABLE campaign (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	uid TEXT NOT NULL, 
	schema INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	state TEXT NOT NULL, 
	admin_hash TEXT NOT NULL, 
	created TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES(1,'Test','86476994b8034a1c8312f8158a2e38c3',1,'{"name": "Test", "task": "ranking", "corpus": "source.txt", "format": null, "references": [], "meta": ["meta.tsv"], "systems": {"good": "good.txt", "middle": "middle.txt", "none": "none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.3, "controls": 0.2, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}','open','807d05f261d0ad92004eb7b6900f573252faf67143238e5b4ef849260f129d99','2026-11-15T15:02:18.647Z');
CREATE TABLE drafts (
	assignment INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (assignment), 
	FOREIGN KEY(assignment) REFERENCES assignments (id)
);
INSERT INTO "drafts" VALUES(8,'{"answer": {"ranks": [1, null, null]}, "comment": "half"}');
CREATE TABLE items (
	id INTEGER NOT NULL, 
	segment INTEGER, 
	kind TEXT NOT NULL, 
	content TEXT NOT NULL, 
	version TEXT NOT NULL, 
	needed INTEGER NOT NULL, 
	assigned INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "items" VALUES(1,0,'control','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}, {"systems": ["control:damaged"], "text": "He to school every day day with his . friend"}], "document": "doc-0", "expect": [[1, 2]], "reference": null, "source": "He go to school every day with his friend ."}','895905a6dcf6152c',1,1,6);
INSERT INTO "items" VALUES(2,1,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}','bb801c958478668a',1,1,9);
INSERT INTO "items" VALUES(3,2,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}','94b1e02896fef3b0',1,1,0);
INSERT INTO "items" VALUES(4,3,'control','{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}, {"systems": ["control:damaged"], "text": "walking We in park when it ."}], "document": "doc-1", "expect": [[2, 3]], "reference": null, "source": "We was walking in park when it rained ."}','33fb1a9a69e5fd6a',1,1,5);
INSERT INTO "items" VALUES(5,4,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-1", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}','df94e308570f1ae9',1,1,3);
INSERT INTO "items" VALUES(6,5,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}','f96417d7153cd5b8',1,1,4);
INSERT INTO "items" VALUES(7,6,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-2", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}','a2f5b0ee7617412b',1,1,11);
INSERT INTO "items" VALUES(8,7,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-2", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}','4541001f71d8c514',2,1,8);
INSERT INTO "items" VALUES(9,8,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-2", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}','dd1d873fd8a2bb3b',1,1,10);
INSERT INTO "items" VALUES(10,9,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-3", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}','0974573c03c7e8e1',1,1,1);
INSERT INTO "items" VALUES(11,10,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-3", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}','00cebf71afe85b01',1,1,7);
INSERT INTO "items" VALUES(12,11,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-3", "expect": [], "reference": null, "source": "The informations is not correct at all ."}','2a24f62909d1c477',1,1,2);
CREATE TABLE judgments (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	assignment INTEGER NOT NULL, 
	annotator INTEGER NOT NULL, 
	item INTEGER NOT NULL, 
	version TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	answer TEXT, 
	shown TEXT NOT NULL, 
	skipped TEXT, 
	comment TEXT NOT NULL, 
	seconds FLOAT, 
	created TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("key"), 
	FOREIGN KEY(assignment) REFERENCES assignments (id), 
	FOREIGN KEY(annotator) REFERENCES annotators (id), 
	FOREIGN KEY(item) REFERENCES items (id)
);
INSERT INTO "judgments" VALUES(1,'fixture-0-000',1,1,3,'94b1e02896fef3b0',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T15:02:18.794Z');
INSERT INTO "judgments" VALUES(2,'fixture-0-001',2,1,10,'0974573c03c7e8e1',1,'{"ranks": [3, 1, 2]}','[1, 2, 0]',NULL,'',1.5,'2026-11-15T15:02:18.797Z');
INSERT INTO "judgments" VALUES(3,'fixture-0-002',3,1,12,'2a24f62909d1c477',1,'{"ranks": [1, 3, 2]}','[0, 2, 1]',NULL,'',1.5,'2026-11-15T15:02:18.798Z');
INSERT INTO "judgments" VALUES(4,'fixture-0-003',4,1,5,'df94e308570f1ae9',1,'{"ranks": [2, 1, 3]}','[1, 0, 2]',NULL,'',1.5,'2026-11-15T15:02:18.801Z');
INSERT INTO "judgments" VALUES(5,'fixture-0-004',5,1,6,'f96417d7153cd5b8',1,'{"ranks": [3, 2, 1]}','[2, 1, 0]',NULL,'',1.5,'2026-11-15T15:02:18.802Z');
INSERT INTO "judgments" VALUES(6,'fixture-0-005',6,1,4,'33fb1a9a69e5fd6a',1,'{"ranks": [1, 4, 2, 3]}','[0, 2, 3, 1]',NULL,'',1.5,'2026-11-15T15:02:18.802Z');
INSERT INTO "judgments" VALUES(7,'fixture-0-006',7,1,1,'895905a6dcf6152c',1,'{"ranks": [3, 1, 2]}','[1, 2, 0]',NULL,'',1.5,'2026-11-15T15:02:18.803Z');
INSERT INTO "judgments" VALUES(8,'fixture-1-000',9,2,8,'4541001f71d8c514',1,'{"ranks": [1, 3, 2]}','[0, 2, 1]',NULL,'',1.5,'2026-11-15T15:02:18.814Z');
INSERT INTO "judgments" VALUES(9,'fixture-1-001',10,2,2,'bb801c958478668a',1,'{"ranks": [2, 1, 3]}','[1, 0, 2]',NULL,'',1.5,'2026-11-15T15:02:18.815Z');
INSERT INTO "judgments" VALUES(10,'fixture-1-002',11,2,9,'dd1d873fd8a2bb3b',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T15:02:18.815Z');
INSERT INTO "judgments" VALUES(11,'fixture-1-003',12,2,7,'a2f5b0ee7617412b',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T15:02:18.816Z');
INSERT INTO "judgments" VALUES(12,'fixture-change',1,1,3,'94b1e02896fef3b0',2,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T15:02:18.827Z');
CREATE TABLE segments (
	id INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	source TEXT NOT NULL, 
	reference TEXT, 
	outputs TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "segments" VALUES(0,'doc-0','He go to school every day with his friend .',NULL,'{"good": "He goes to school every day with his friend .", "middle": "He goes to school every day with his friend .", "none": "He go to school every day with his friend ."}');
INSERT INTO "segments" VALUES(1,'doc-0','She have two cat and one dog at home .',NULL,'{"good": "She has two cats and one dog at home .", "middle": "She has two cat and one dog at home .", "none": "She have two cat and one dog at home ."}');
INSERT INTO "segments" VALUES(2,'doc-0','I am agree with this idea very much .',NULL,'{"good": "I agree with this idea very much .", "middle": "I agree with this idea very much .", "none": "I am agree with this idea very much ."}');
INSERT INTO "segments" VALUES(3,'doc-1','We was walking in park when it rained .',NULL,'{"good": "We were walking in the park when it rained .", "middle": "We were walking in park when it rained .", "none": "We was walking in park when it rained ."}');
INSERT INTO "segments" VALUES(4,'doc-1','They likes to play football on sunday .',NULL,'{"good": "They like to play football on Sunday .", "middle": "They like to play football on sunday .", "none": "They likes to play football on sunday ."}');
INSERT INTO "segments" VALUES(5,'doc-1','The informations is not correct at all .',NULL,'{"good": "The information is not correct at all .", "middle": "The informations are not correct at all .", "none": "The informations is not correct at all ."}');
INSERT INTO "segments" VALUES(6,'doc-2','He go to school every day with his friend .',NULL,'{"good": "He goes to school every day with his friend .", "middle": "He goes to school every day with his friend .", "none": "He go to school every day with his friend ."}');
INSERT INTO "segments" VALUES(7,'doc-2','She have two cat and one dog at home .',NULL,'{"good": "She has two cats and one dog at home .", "middle": "She has two cat and one dog at home .", "none": "She have two cat and one dog at home ."}');
INSERT INTO "segments" VALUES(8,'doc-2','I am agree with this idea very much .',NULL,'{"good": "I agree with this idea very much .", "middle": "I agree with this idea very much .", "none": "I am agree with this idea very much ."}');
INSERT INTO "segments" VALUES(9,'doc-3','We was walking in park when it rained .',NULL,'{"good": "We were walking in the park when it rained .", "middle": "We were walking in park when it rained .", "none": "We was walking in park when it rained ."}');
INSERT INTO "segments" VALUES(10,'doc-3','They likes to play football on sunday .',NULL,'{"good": "They like to play football on Sunday .", "middle": "They like to play football on sunday .", "none": "They likes to play football on sunday ."}');
INSERT INTO "segments" VALUES(11,'doc-3','The informations is not correct at all .',NULL,'{"good": "The information is not correct at all .", "middle": "The informations are not correct at all .", "none": "The informations is not correct at all ."}');
CREATE INDEX segments_by_document ON segments (document, id);
CREATE INDEX items_by_segment ON items (segment);
CREATE INDEX items_by_need ON items (assigned, place) WHERE assigned < needed;
CREATE INDEX items_by_place ON items (place) WHERE assigned < needed;
CREATE INDEX assignments_open ON assignments (annotator, answered, position);
CREATE INDEX assignments_by_item ON assignments (item, annotator);
CREATE INDEX assignments_by_proposal ON assignments (proposal);
CREATE INDEX judgments_by_assignment ON judgments (assignment, revision, id);
CREATE TRIGGER judgments_no_update BEFORE UPDATE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_no_delete BEFORE DELETE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
COMMIT;
