--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: judgments_append_only(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.judgments_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'judgments are append-only'; END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: annotators; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.annotators (
    id integer NOT NULL,
    name text NOT NULL,
    token_hash text,
    state text NOT NULL,
    qualified text NOT NULL,
    quota integer,
    given integer DEFAULT 0 NOT NULL,
    done integer DEFAULT 0 NOT NULL
);


--
-- Name: annotators_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.annotators_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: annotators_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.annotators_id_seq OWNED BY public.annotators.id;


--
-- Name: assignments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.assignments (
    id integer NOT NULL,
    annotator integer NOT NULL,
    "position" integer NOT NULL,
    item integer NOT NULL,
    repeat boolean NOT NULL,
    proposal integer,
    shown text NOT NULL,
    answered boolean NOT NULL
);


--
-- Name: assignments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.assignments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: assignments_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.assignments_id_seq OWNED BY public.assignments.id;


--
-- Name: campaign; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.campaign (
    id integer NOT NULL,
    name text NOT NULL,
    uid text NOT NULL,
    schema integer NOT NULL,
    settings text NOT NULL,
    state text NOT NULL,
    admin_hash text NOT NULL,
    created text NOT NULL,
    secret text NOT NULL,
    url text
);


--
-- Name: campaign_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.campaign_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: campaign_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.campaign_id_seq OWNED BY public.campaign.id;


--
-- Name: drafts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.drafts (
    assignment integer NOT NULL,
    answer text NOT NULL
);


--
-- Name: figures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.figures (
    id integer NOT NULL,
    upto integer NOT NULL,
    sums text NOT NULL
);


--
-- Name: items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.items (
    id integer NOT NULL,
    segment integer,
    kind text NOT NULL,
    content text NOT NULL,
    version text NOT NULL,
    needed integer NOT NULL,
    assigned integer NOT NULL,
    place integer NOT NULL
);


--
-- Name: items_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.items_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: items_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.items_id_seq OWNED BY public.items.id;


--
-- Name: judgments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.judgments (
    id integer NOT NULL,
    key text NOT NULL,
    assignment integer NOT NULL,
    annotator integer NOT NULL,
    item integer NOT NULL,
    version text NOT NULL,
    revision integer NOT NULL,
    answer text,
    shown text NOT NULL,
    skipped text,
    comment text NOT NULL,
    seconds double precision,
    created text NOT NULL
);


--
-- Name: judgments_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.judgments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: judgments_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.judgments_id_seq OWNED BY public.judgments.id;


--
-- Name: segments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.segments (
    id integer NOT NULL,
    document text NOT NULL,
    source text NOT NULL,
    reference text,
    outputs text NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    hash text NOT NULL,
    role text NOT NULL,
    number integer NOT NULL,
    began bigint NOT NULL
);


--
-- Name: annotators id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.annotators ALTER COLUMN id SET DEFAULT nextval('public.annotators_id_seq'::regclass);


--
-- Name: assignments id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments ALTER COLUMN id SET DEFAULT nextval('public.assignments_id_seq'::regclass);


--
-- Name: campaign id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaign ALTER COLUMN id SET DEFAULT nextval('public.campaign_id_seq'::regclass);


--
-- Name: items id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items ALTER COLUMN id SET DEFAULT nextval('public.items_id_seq'::regclass);


--
-- Name: judgments id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments ALTER COLUMN id SET DEFAULT nextval('public.judgments_id_seq'::regclass);


--
-- Data for Name: annotators; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotators VALUES (1, 'ann', '57456c2a0edf9d66ca2d6f48b9b7b20c405a9f3f55e0bf4870489f2e6e4a110c', 'active', 'passed', NULL, 6, 6);
INSERT INTO public.annotators VALUES (2, 'bob', '84f51cf703d41252df5cd400ee81a4964ab83651e5ae071cb3e121e1dbc43382', 'active', 'passed', NULL, 1, 1);


--
-- Data for Name: assignments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.assignments VALUES (1, 1, 1, 4, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (2, 1, 2, 3, false, NULL, '[0, 1]', true);
INSERT INTO public.assignments VALUES (3, 1, 3, 6, false, NULL, '[1, 0, 2]', true);
INSERT INTO public.assignments VALUES (4, 1, 4, 5, false, NULL, '[2, 1, 3, 0]', true);
INSERT INTO public.assignments VALUES (5, 1, 5, 1, false, NULL, '[0, 1]', true);
INSERT INTO public.assignments VALUES (6, 1, 6, 2, false, NULL, '[2, 0, 1]', true);
INSERT INTO public.assignments VALUES (7, 2, 1, 3, false, NULL, '[0, 1]', true);


--
-- Data for Name: campaign; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.campaign VALUES (1, 'Test', '110669d77ef2447c994a8d28b4fec9b1', 2, '{"name": "Test", "task": "ranking", "corpus": "/tmp/campaign/b/source.txt", "format": null, "references": [], "meta": ["/tmp/campaign/b/meta.tsv"], "systems": {"good": "/tmp/campaign/b/good.txt", "middle": "/tmp/campaign/b/middle.txt", "none": "/tmp/campaign/b/none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.05, "controls": 0.05, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}', 'open', '789fd519c9187fe557633f0152883f2f7d8b5ed1a44fc56170dbfc1a361cd6b8', '2026-11-15T21:28:32.296Z', 'db7d4da8009e2603fb29d6ec81ada8b1', NULL);


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.drafts VALUES (1, '{"answer": {"ranks": [1, 2, 3]}, "comment": ""}');


--
-- Data for Name: figures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.figures VALUES (1, 8, '[[["win", "middle", "good"], 2.0], [["win", "none", "good"], 2.0], [["win", "none", "middle"], 3.0], [["rows"], 8.0], [["done", 1], 6.0], [["work"], 7.0], [["seconds", 1], 9.0], [["time", 1, 15], 6.0], [["tie", "good", "middle"], 3.0], [["win", "good", "none"], 5.0], [["win", "middle", "none"], 4.0], [["met", "1", "2", 1, 1], 1.0], [["rated", 2, 1, 1], 2.0], [["done", 2], 1.0], [["seconds", 2], 1.5], [["time", 2, 15], 1.0], [["win", "good", "middle"], 2.0], [["controls", 1], 1.0]]');


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.items VALUES (4, 3, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-1", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}', '1a58773a1ab55a82', 1, 1, 0);
INSERT INTO public.items VALUES (6, 5, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}', '94c15464a08bc185', 1, 1, 2);
INSERT INTO public.items VALUES (5, 4, 'control', '{"answer": null, "cards": [{"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}, {"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["control:damaged"], "text": "like They play football on Sunday ."}], "document": "doc-1", "expect": [[2, 3]], "reference": null, "source": "They likes to play football on sunday ."}', '346459874f0237fe', 1, 1, 3);
INSERT INTO public.items VALUES (1, 0, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-0", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}', '8a6f6eb67800bfc0', 1, 1, 4);
INSERT INTO public.items VALUES (2, 1, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}', 'aa43a24c8502a97f', 1, 1, 5);
INSERT INTO public.items VALUES (3, 2, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}', '5eb89bcf57b6b0de', 2, 2, 1);


--
-- Data for Name: judgments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.judgments VALUES (1, 'd7b6cc14c5134b3b8f1e75140113f4f2', 1, 1, 4, '1a58773a1ab55a82', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T21:28:32.525Z');
INSERT INTO public.judgments VALUES (2, 'f416ae9d8bbb49f6ad2dbb3f64fd11e0', 2, 1, 3, '5eb89bcf57b6b0de', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T21:28:32.542Z');
INSERT INTO public.judgments VALUES (3, '003155cee2524a96bf5b0c89a5b09076', 3, 1, 6, '94c15464a08bc185', 1, '{"ranks": [2, 1, 3]}', '[1, 0, 2]', NULL, '', 1.5, '2026-11-15T21:28:32.558Z');
INSERT INTO public.judgments VALUES (4, '90e53cd8814248b29b7c8d619b0fe9eb', 4, 1, 5, '346459874f0237fe', 1, '{"ranks": [4, 2, 1, 3]}', '[2, 1, 3, 0]', NULL, '', 1.5, '2026-11-15T21:28:32.573Z');
INSERT INTO public.judgments VALUES (5, '13a886310b8e4655bb6612c0200e2f84', 5, 1, 1, '8a6f6eb67800bfc0', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T21:28:32.591Z');
INSERT INTO public.judgments VALUES (6, 'e245a3bbea3549d9b8ea163c35aebcb8', 6, 1, 2, 'aa43a24c8502a97f', 1, '{"ranks": [2, 3, 1]}', '[2, 0, 1]', NULL, '', 1.5, '2026-11-15T21:28:32.606Z');
INSERT INTO public.judgments VALUES (7, 'fcff4a458c1b49bcbb557f5225a0ac01', 1, 1, 4, '1a58773a1ab55a82', 2, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, 'changed', 1.5, '2026-11-15T21:28:32.636Z');
INSERT INTO public.judgments VALUES (8, '676bbd4e6b2a47ad8b2074c1eab9ce08', 7, 2, 3, '5eb89bcf57b6b0de', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T21:28:32.693Z');


--
-- Data for Name: segments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.segments VALUES (0, 'doc-0', 'He go to school every day with his friend .', NULL, '{"good": "He goes to school every day with his friend .", "middle": "He goes to school every day with his friend .", "none": "He go to school every day with his friend ."}');
INSERT INTO public.segments VALUES (1, 'doc-0', 'She have two cat and one dog at home .', NULL, '{"good": "She has two cats and one dog at home .", "middle": "She has two cat and one dog at home .", "none": "She have two cat and one dog at home ."}');
INSERT INTO public.segments VALUES (2, 'doc-0', 'I am agree with this idea very much .', NULL, '{"good": "I agree with this idea very much .", "middle": "I agree with this idea very much .", "none": "I am agree with this idea very much ."}');
INSERT INTO public.segments VALUES (3, 'doc-1', 'We was walking in park when it rained .', NULL, '{"good": "We were walking in the park when it rained .", "middle": "We were walking in park when it rained .", "none": "We was walking in park when it rained ."}');
INSERT INTO public.segments VALUES (4, 'doc-1', 'They likes to play football on sunday .', NULL, '{"good": "They like to play football on Sunday .", "middle": "They like to play football on sunday .", "none": "They likes to play football on sunday ."}');
INSERT INTO public.segments VALUES (5, 'doc-1', 'The informations is not correct at all .', NULL, '{"good": "The information is not correct at all .", "middle": "The informations are not correct at all .", "none": "The informations is not correct at all ."}');


--
-- Name: annotators_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotators_id_seq', 2, true);


--
-- Name: assignments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.assignments_id_seq', 7, true);


--
-- Name: campaign_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.campaign_id_seq', 1, true);


--
-- Name: items_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.items_id_seq', 6, true);


--
-- Name: judgments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.judgments_id_seq', 8, true);


--
-- Name: annotators annotators_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.annotators
    ADD CONSTRAINT annotators_name_key UNIQUE (name);


--
-- Name: annotators annotators_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.annotators
    ADD CONSTRAINT annotators_pkey PRIMARY KEY (id);


--
-- Name: annotators annotators_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.annotators
    ADD CONSTRAINT annotators_token_hash_key UNIQUE (token_hash);


--
-- Name: assignments assignments_annotator_position_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_annotator_position_key UNIQUE (annotator, "position");


--
-- Name: assignments assignments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);


--
-- Name: campaign campaign_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaign
    ADD CONSTRAINT campaign_pkey PRIMARY KEY (id);


--
-- Name: drafts drafts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (assignment);


--
-- Name: figures figures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_pkey PRIMARY KEY (id);


--
-- Name: items items_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (id);


--
-- Name: judgments judgments_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments
    ADD CONSTRAINT judgments_key_key UNIQUE (key);


--
-- Name: judgments judgments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments
    ADD CONSTRAINT judgments_pkey PRIMARY KEY (id);


--
-- Name: segments segments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);


--
-- Name: assignments_by_item; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX assignments_by_item ON public.assignments USING btree (item, annotator);


--
-- Name: assignments_by_proposal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX assignments_by_proposal ON public.assignments USING btree (proposal);


--
-- Name: assignments_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX assignments_open ON public.assignments USING btree (annotator, answered, "position");


--
-- Name: items_by_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX items_by_kind ON public.items USING btree (kind, needed);


--
-- Name: items_by_need; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX items_by_need ON public.items USING btree (assigned, place) WHERE (assigned < needed);


--
-- Name: items_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX items_by_place ON public.items USING btree (place) WHERE (assigned < needed);


--
-- Name: items_by_segment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX items_by_segment ON public.items USING btree (segment);


--
-- Name: judgments_by_annotator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX judgments_by_annotator ON public.judgments USING btree (annotator, id);


--
-- Name: judgments_by_assignment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX judgments_by_assignment ON public.judgments USING btree (assignment, revision, id);


--
-- Name: segments_by_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX segments_by_document ON public.segments USING btree (document, id);


--
-- Name: sessions_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_subject ON public.sessions USING btree (role, number, began);


--
-- Name: judgments judgments_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER judgments_append_only BEFORE DELETE OR UPDATE ON public.judgments FOR EACH ROW EXECUTE FUNCTION public.judgments_append_only();


--
-- Name: assignments assignments_annotator_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_annotator_fkey FOREIGN KEY (annotator) REFERENCES public.annotators(id);


--
-- Name: assignments assignments_item_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_item_fkey FOREIGN KEY (item) REFERENCES public.items(id);


--
-- Name: drafts drafts_assignment_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_assignment_fkey FOREIGN KEY (assignment) REFERENCES public.assignments(id);


--
-- Name: judgments judgments_annotator_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments
    ADD CONSTRAINT judgments_annotator_fkey FOREIGN KEY (annotator) REFERENCES public.annotators(id);


--
-- Name: judgments judgments_assignment_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments
    ADD CONSTRAINT judgments_assignment_fkey FOREIGN KEY (assignment) REFERENCES public.assignments(id);


--
-- Name: judgments judgments_item_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.judgments
    ADD CONSTRAINT judgments_item_fkey FOREIGN KEY (item) REFERENCES public.items(id);


--
-- PostgreSQL database dump complete
--


