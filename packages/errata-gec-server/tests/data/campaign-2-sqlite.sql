BEGIN TRANSACTION;
CREATE TABLE annotators (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	token_hash TEXT, 
	state TEXT NOT NULL, 
	qualified TEXT NOT NULL, 
	quota INTEGER, 
	given INTEGER DEFAULT '0' NOT NULL, 
	done INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	UNIQUE (token_hash)
);
INSERT INTO "annotators" VALUES(1,'ann','1cc959222526a68f690beaa68895bef50a18ede429651fef237ce1eebd9a0034','active','passed',NULL,12,12);
INSERT INTO "annotators" VALUES(2,'bob','67fd77d79a61d050f002f6465f43c88d5afec1f234ff8e106409ce9ecc3e538e','active','passed',NULL,1,1);
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
INSERT INTO "assignments" VALUES(2,1,2,10,0,NULL,'[0, 2, 1]',1);
INSERT INTO "assignments" VALUES(3,1,3,12,0,NULL,'[0, 1, 2]',1);
INSERT INTO "assignments" VALUES(4,1,4,5,0,NULL,'[0, 1, 2]',1);
INSERT INTO "assignments" VALUES(5,1,5,6,0,NULL,'[2, 0, 1]',1);
INSERT INTO "assignments" VALUES(6,1,6,4,0,NULL,'[2, 1, 0]',1);
INSERT INTO "assignments" VALUES(7,1,7,1,0,NULL,'[2, 0, 1]',1);
INSERT INTO "assignments" VALUES(8,1,8,11,0,NULL,'[2, 1, 0]',1);
INSERT INTO "assignments" VALUES(9,1,9,8,0,NULL,'[0, 2, 1]',1);
INSERT INTO "assignments" VALUES(10,1,10,2,0,NULL,'[2, 1, 0]',1);
INSERT INTO "assignments" VALUES(11,1,11,9,0,NULL,'[1, 0]',1);
INSERT INTO "assignments" VALUES(12,1,12,7,0,NULL,'[1, 0]',1);
INSERT INTO "assignments" VALUES(13,2,1,8,0,NULL,'[2, 1, 0]',1);
CREATE TABLE campaign (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	uid TEXT NOT NULL, 
	schema INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	state TEXT NOT NULL, 
	admin_hash TEXT NOT NULL, 
	created TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	url TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES(1,'Test','7b571ff6a4934bbf808d6b42c437ec3b',2,'{"name": "Test", "task": "ranking", "corpus": "/tmp/campaign/a/source.txt", "format": null, "references": [], "meta": ["/tmp/campaign/a/meta.tsv"], "systems": {"good": "/tmp/campaign/a/good.txt", "middle": "/tmp/campaign/a/middle.txt", "none": "/tmp/campaign/a/none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.05, "controls": 0.05, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}','open','950e68ca005f9464af0254bd8310bc1eb19161520878e324aba74b07bc1a833f','2026-11-15T21:58:46.935Z','78f20f7d9b7d7024f23c83111d0e5ffb',NULL);
CREATE TABLE drafts (
	assignment INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (assignment), 
	FOREIGN KEY(assignment) REFERENCES assignments (id)
);
INSERT INTO "drafts" VALUES(1,'{"answer": {"ranks": [1, 2]}, "comment": ""}');
CREATE TABLE figures (
	id INTEGER NOT NULL, 
	upto INTEGER NOT NULL, 
	sums TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "figures" VALUES(1,14,'[[["tie", "good", "middle"], 4.0], [["win", "good", "none"], 6.0], [["win", "middle", "none"], 4.0], [["rows"], 14.0], [["done", 1], 12.0], [["work"], 13.0], [["seconds", 1], 18.0], [["time", 1, 15], 12.0], [["win", "good", "middle"], 5.0], [["win", "none", "middle"], 9.0], [["win", "none", "good"], 7.0], [["win", "middle", "good"], 4.0], [["controls", 1], 1.0], [["failed", 1], 1.0], [["met", "1", "2", 1, -1], 2.0], [["rated", 2, 1, -1], 2.0], [["rated", 2, -1, 1], 2.0], [["met", "1", "2", -1, -1], 1.0], [["rated", 2, -1, -1], 2.0], [["done", 2], 1.0], [["seconds", 2], 1.5], [["time", 2, 15], 1.0]]');
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
INSERT INTO "items" VALUES(1,0,'control','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}, {"systems": ["control:damaged"], "text": "He to school every day day with his . friend"}], "document": "doc-0", "expect": [[1, 2]], "reference": null, "source": "He go to school every day with his friend ."}','e4fcea417ccb3364',1,1,6);
INSERT INTO "items" VALUES(2,1,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}','91a13d2990da0f43',1,1,9);
INSERT INTO "items" VALUES(3,2,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}','378ac4d36666e945',1,1,0);
INSERT INTO "items" VALUES(4,3,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-1", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}','91e3f3998956772c',1,1,5);
INSERT INTO "items" VALUES(5,4,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-1", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}','6546c9df9af4285e',1,1,3);
INSERT INTO "items" VALUES(6,5,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}','9e50eba36c0bce47',1,1,4);
INSERT INTO "items" VALUES(7,6,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-2", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}','008017af70240970',1,1,11);
INSERT INTO "items" VALUES(8,7,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-2", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}','be7d6ce26c3e3158',2,2,8);
INSERT INTO "items" VALUES(9,8,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-2", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}','646d221b8f48fd44',1,1,10);
INSERT INTO "items" VALUES(10,9,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-3", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}','0ff2301fa8f0a8ff',1,1,1);
INSERT INTO "items" VALUES(11,10,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-3", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}','d4526080799274d9',1,1,7);
INSERT INTO "items" VALUES(12,11,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-3", "expect": [], "reference": null, "source": "The informations is not correct at all ."}','507049416636a02f',1,1,2);
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
INSERT INTO "judgments" VALUES(1,'c7bff75299d947bcb0f9ecf2386da066',1,1,3,'378ac4d36666e945',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T21:58:47.214Z');
INSERT INTO "judgments" VALUES(2,'6df456bc19394bd8874b3aa26c0e19e5',2,1,10,'0ff2301fa8f0a8ff',1,'{"ranks": [1, 3, 2]}','[0, 2, 1]',NULL,'',1.5,'2026-11-15T21:58:47.403Z');
INSERT INTO "judgments" VALUES(3,'4cf41363a9fd4451b67b165c9d4e3873',3,1,12,'507049416636a02f',1,'{"ranks": [1, 2, 3]}','[0, 1, 2]',NULL,'',1.5,'2026-11-15T21:58:47.425Z');
INSERT INTO "judgments" VALUES(4,'a47c2b1a97a749e98f68e74949aaa4eb',4,1,5,'6546c9df9af4285e',1,'{"ranks": [1, 2, 3]}','[0, 1, 2]',NULL,'',1.5,'2026-11-15T21:58:47.434Z');
INSERT INTO "judgments" VALUES(5,'2c246e45d95a4af6a753b4bfed8f08ef',5,1,6,'9e50eba36c0bce47',1,'{"ranks": [2, 3, 1]}','[2, 0, 1]',NULL,'',1.5,'2026-11-15T21:58:47.446Z');
INSERT INTO "judgments" VALUES(6,'f77816dffa3a43c782176a70cfdb53c2',6,1,4,'91e3f3998956772c',1,'{"ranks": [3, 2, 1]}','[2, 1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.459Z');
INSERT INTO "judgments" VALUES(7,'412e7f528bdc4574884dda54957ce56b',7,1,1,'e4fcea417ccb3364',1,'{"ranks": [2, 3, 1]}','[2, 0, 1]',NULL,'',1.5,'2026-11-15T21:58:47.471Z');
INSERT INTO "judgments" VALUES(8,'26fecc8a06814acc9ecf6df24922d17f',8,1,11,'d4526080799274d9',1,'{"ranks": [3, 2, 1]}','[2, 1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.484Z');
INSERT INTO "judgments" VALUES(9,'0c4a421a2b974ab1ab7026cb37fe9c45',9,1,8,'be7d6ce26c3e3158',1,'{"ranks": [1, 3, 2]}','[0, 2, 1]',NULL,'',1.5,'2026-11-15T21:58:47.503Z');
INSERT INTO "judgments" VALUES(10,'48a6ffd5f11448b099e8671e1a275fcf',10,1,2,'91a13d2990da0f43',1,'{"ranks": [3, 2, 1]}','[2, 1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.512Z');
INSERT INTO "judgments" VALUES(11,'af41c5bc432a4647a2706911a4f9665b',11,1,9,'646d221b8f48fd44',1,'{"ranks": [2, 1]}','[1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.529Z');
INSERT INTO "judgments" VALUES(12,'05426fd972ae4ee89d15f495d6744faf',12,1,7,'008017af70240970',1,'{"ranks": [2, 1]}','[1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.547Z');
INSERT INTO "judgments" VALUES(13,'5b6f8787f72249898626df8c08dacd43',1,1,3,'378ac4d36666e945',2,'{"ranks": [1, 2]}','[0, 1]',NULL,'changed',1.5,'2026-11-15T21:58:47.576Z');
INSERT INTO "judgments" VALUES(14,'f59f246425ea45ac8a291e2cfaa759f3',13,2,8,'be7d6ce26c3e3158',1,'{"ranks": [3, 2, 1]}','[2, 1, 0]',NULL,'',1.5,'2026-11-15T21:58:47.638Z');
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
CREATE TABLE sessions (
	hash TEXT NOT NULL, 
	role TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	began BIGINT NOT NULL, 
	PRIMARY KEY (hash)
);
CREATE INDEX segments_by_document ON segments (document, id);
CREATE INDEX items_by_segment ON items (segment);
CREATE INDEX items_by_need ON items (assigned, place) WHERE assigned < needed;
CREATE INDEX items_by_place ON items (place) WHERE assigned < needed;
CREATE INDEX items_by_kind ON items (kind, needed);
CREATE INDEX sessions_by_subject ON sessions (role, number, began);
CREATE INDEX assignments_by_item ON assignments (item, annotator);
CREATE INDEX assignments_by_proposal ON assignments (proposal);
CREATE INDEX assignments_open ON assignments (annotator, answered, position);
CREATE INDEX judgments_by_annotator ON judgments (annotator, id);
CREATE INDEX judgments_by_assignment ON judgments (assignment, revision, id);
CREATE TRIGGER judgments_no_update BEFORE UPDATE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_no_delete BEFORE DELETE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
COMMIT;
