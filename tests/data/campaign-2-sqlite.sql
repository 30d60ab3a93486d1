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
INSERT INTO "annotators" VALUES(1,'ann','1707e76ec9aa0905a6bf9f6f7f3daa2fa6f99d54db0c7d75e96c112c7166ea51','active','passed',NULL,6,6);
INSERT INTO "annotators" VALUES(2,'bob','b4cfd46523e34129416543d8ba13cd20d821a291a1adf2eafcb32190280a6b8a','active','passed',NULL,1,1);
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
INSERT INTO "assignments" VALUES(1,1,1,4,0,NULL,'[1, 2, 0]',1);
INSERT INTO "assignments" VALUES(2,1,2,3,0,NULL,'[0, 1]',1);
INSERT INTO "assignments" VALUES(3,1,3,6,0,NULL,'[0, 1, 2]',1);
INSERT INTO "assignments" VALUES(4,1,4,5,0,NULL,'[1, 3, 2, 0]',1);
INSERT INTO "assignments" VALUES(5,1,5,1,0,NULL,'[0, 1]',1);
INSERT INTO "assignments" VALUES(6,1,6,2,0,NULL,'[2, 0, 1]',1);
INSERT INTO "assignments" VALUES(7,2,1,3,0,NULL,'[1, 0]',1);
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
INSERT INTO "campaign" VALUES(1,'Test','2dfa165ed5ab473ab7b09a5ac01433de',2,'{"name": "Test", "task": "ranking", "corpus": "/tmp/campaign/a/source.txt", "format": null, "references": [], "meta": ["/tmp/campaign/a/meta.tsv"], "systems": {"good": "/tmp/campaign/a/good.txt", "middle": "/tmp/campaign/a/middle.txt", "none": "/tmp/campaign/a/none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.05, "controls": 0.05, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}','open','a553d56d99c04c160a7bf4f71c75f656f5afea4c9ef4a7ff71ff91279dcda03f','2026-11-15T21:28:29.642Z','bd4820836d1a50641dcdf76411a3d15d',NULL);
CREATE TABLE drafts (
	assignment INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (assignment), 
	FOREIGN KEY(assignment) REFERENCES assignments (id)
);
INSERT INTO "drafts" VALUES(1,'{"answer": {"ranks": [1, 2, 3]}, "comment": ""}');
CREATE TABLE figures (
	id INTEGER NOT NULL, 
	upto INTEGER NOT NULL, 
	sums TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "figures" VALUES(1,8,'[[["win", "middle", "good"], 1.0], [["win", "none", "good"], 4.0], [["win", "middle", "none"], 4.0], [["rows"], 8.0], [["done", 1], 6.0], [["work"], 7.0], [["seconds", 1], 9.0], [["time", 1, 15], 6.0], [["tie", "good", "middle"], 3.0], [["win", "good", "none"], 3.0], [["win", "none", "middle"], 3.0], [["met", "1", "2", 1, -1], 1.0], [["rated", 2, 1, -1], 1.0], [["rated", 2, -1, 1], 1.0], [["done", 2], 1.0], [["seconds", 2], 1.5], [["time", 2, 15], 1.0], [["win", "good", "middle"], 3.0], [["controls", 1], 1.0], [["failed", 1], 1.0]]');
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
INSERT INTO "items" VALUES(1,0,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-0", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}','26e5d8a39bc889f4',1,1,4);
INSERT INTO "items" VALUES(2,1,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}','653b80859c9e53ea',1,1,5);
INSERT INTO "items" VALUES(3,2,'main','{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}','59244ec5689ef3e8',2,2,1);
INSERT INTO "items" VALUES(4,3,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-1", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}','484a90d754be3d91',1,1,0);
INSERT INTO "items" VALUES(5,4,'control','{"answer": null, "cards": [{"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}, {"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["control:damaged"], "text": "like They play football on Sunday ."}], "document": "doc-1", "expect": [[2, 3]], "reference": null, "source": "They likes to play football on sunday ."}','270509469239d490',1,1,3);
INSERT INTO "items" VALUES(6,5,'main','{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}','0c9ed96a3f8b2a42',1,1,2);
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
INSERT INTO "judgments" VALUES(1,'a82960f72c2143a68a31f07608fd0da2',1,1,4,'484a90d754be3d91',1,'{"ranks": [3, 1, 2]}','[1, 2, 0]',NULL,'',1.5,'2026-11-15T21:28:30.020Z');
INSERT INTO "judgments" VALUES(2,'7f3e7f74e36249eb8eb5dc6b0b39a2de',2,1,3,'59244ec5689ef3e8',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T21:28:30.041Z');
INSERT INTO "judgments" VALUES(3,'9490fefcf17442f784db8368f449bb9b',3,1,6,'0c9ed96a3f8b2a42',1,'{"ranks": [1, 2, 3]}','[0, 1, 2]',NULL,'',1.5,'2026-11-15T21:28:30.049Z');
INSERT INTO "judgments" VALUES(4,'18e2167fff4f4c52ac6c90816e3dd4e1',4,1,5,'270509469239d490',1,'{"ranks": [4, 1, 3, 2]}','[1, 3, 2, 0]',NULL,'',1.5,'2026-11-15T21:28:30.079Z');
INSERT INTO "judgments" VALUES(5,'47b1108c865a4d188432c17b44c2db4b',5,1,1,'26e5d8a39bc889f4',1,'{"ranks": [1, 2]}','[0, 1]',NULL,'',1.5,'2026-11-15T21:28:30.113Z');
INSERT INTO "judgments" VALUES(6,'b18a08a739564a89b155dfec6a780cce',6,1,2,'653b80859c9e53ea',1,'{"ranks": [2, 3, 1]}','[2, 0, 1]',NULL,'',1.5,'2026-11-15T21:28:30.124Z');
INSERT INTO "judgments" VALUES(7,'67281ac67d6b4174bad2eefb76397a66',1,1,4,'484a90d754be3d91',2,'{"ranks": [3, 1, 2]}','[1, 2, 0]',NULL,'changed',1.5,'2026-11-15T21:28:30.151Z');
INSERT INTO "judgments" VALUES(8,'854d306be68a40c584fb11047a9456f3',7,2,3,'59244ec5689ef3e8',1,'{"ranks": [2, 1]}','[1, 0]',NULL,'',1.5,'2026-11-15T21:28:30.223Z');
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
CREATE TABLE sessions (
	hash TEXT NOT NULL, 
	role TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	began BIGINT NOT NULL, 
	PRIMARY KEY (hash)
);
CREATE INDEX segments_by_document ON segments (document, id);
CREATE INDEX items_by_segment ON items (segment);
CREATE INDEX items_by_kind ON items (kind, needed);
CREATE INDEX items_by_place ON items (place) WHERE assigned < needed;
CREATE INDEX items_by_need ON items (assigned, place) WHERE assigned < needed;
CREATE INDEX sessions_by_subject ON sessions (role, number, began);
CREATE INDEX assignments_by_item ON assignments (item, annotator);
CREATE INDEX assignments_open ON assignments (annotator, answered, position);
CREATE INDEX assignments_by_proposal ON assignments (proposal);
CREATE INDEX judgments_by_assignment ON judgments (assignment, revision, id);
CREATE INDEX judgments_by_annotator ON judgments (annotator, id);
CREATE TRIGGER judgments_no_update BEFORE UPDATE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_no_delete BEFORE DELETE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
COMMIT;
