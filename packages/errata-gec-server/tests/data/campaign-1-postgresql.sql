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
    quota integer
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
    created text NOT NULL
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

INSERT INTO public.annotators VALUES (1, 'ann', '8f71cef26f049f296932ea8946aa9a2773afeadf31a949470505639b06011fc4', 'active', 'passed', NULL);
INSERT INTO public.annotators VALUES (2, 'bob', 'd6f2b065149138c201af9ca6b0f4ec92464e4e2df7d4d16291326c23b1db41c9', 'active', 'passed', NULL);


--
-- Data for Name: assignments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.assignments VALUES (1, 1, 1, 3, false, NULL, '[0, 1]', true);
INSERT INTO public.assignments VALUES (2, 1, 2, 10, false, NULL, '[1, 2, 0]', true);
INSERT INTO public.assignments VALUES (3, 1, 3, 12, false, NULL, '[0, 2, 1]', true);
INSERT INTO public.assignments VALUES (4, 1, 4, 5, false, NULL, '[1, 0, 2]', true);
INSERT INTO public.assignments VALUES (5, 1, 5, 6, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (6, 1, 6, 4, false, NULL, '[0, 2, 3, 1]', true);
INSERT INTO public.assignments VALUES (7, 1, 7, 1, false, NULL, '[1, 2, 0]', true);
INSERT INTO public.assignments VALUES (8, 1, 8, 11, false, NULL, '[2, 1, 0]', false);
INSERT INTO public.assignments VALUES (9, 2, 1, 8, false, NULL, '[0, 2, 1]', true);
INSERT INTO public.assignments VALUES (10, 2, 2, 2, false, NULL, '[1, 0, 2]', true);
INSERT INTO public.assignments VALUES (11, 2, 3, 9, false, NULL, '[0, 1]', true);
INSERT INTO public.assignments VALUES (12, 2, 4, 7, false, NULL, '[0, 1]', true);


--
-- Data for Name: campaign; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.campaign VALUES (1, 'Test', 'cc967218c977490b9d046f49b37e3144', 1, '{"name": "Test", "task": "ranking", "corpus": "source.txt", "format": null, "references": [], "meta": ["meta.tsv"], "systems": {"good": "good.txt", "middle": "middle.txt", "none": "none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.3, "controls": 0.2, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}', 'open', '748569176a52b73e24a10a008801fdc4fb611cd9b549ec3a6c54940eace0c244', '2026-11-15T15:02:21.087Z');


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.drafts VALUES (8, '{"answer": {"ranks": [1, null, null]}, "comment": "half"}');


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.items VALUES (3, 2, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}', '94b1e02896fef3b0', 1, 1, 0);
INSERT INTO public.items VALUES (10, 9, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-3", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}', '0974573c03c7e8e1', 1, 1, 1);
INSERT INTO public.items VALUES (12, 11, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-3", "expect": [], "reference": null, "source": "The informations is not correct at all ."}', '2a24f62909d1c477', 1, 1, 2);
INSERT INTO public.items VALUES (5, 4, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-1", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}', 'df94e308570f1ae9', 1, 1, 3);
INSERT INTO public.items VALUES (6, 5, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}', 'f96417d7153cd5b8', 1, 1, 4);
INSERT INTO public.items VALUES (4, 3, 'control', '{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}, {"systems": ["control:damaged"], "text": "walking We in park when it ."}], "document": "doc-1", "expect": [[2, 3]], "reference": null, "source": "We was walking in park when it rained ."}', '33fb1a9a69e5fd6a', 1, 1, 5);
INSERT INTO public.items VALUES (1, 0, 'control', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}, {"systems": ["control:damaged"], "text": "He to school every day day with his . friend"}], "document": "doc-0", "expect": [[1, 2]], "reference": null, "source": "He go to school every day with his friend ."}', '895905a6dcf6152c', 1, 1, 6);
INSERT INTO public.items VALUES (11, 10, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-3", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}', '00cebf71afe85b01', 1, 1, 7);
INSERT INTO public.items VALUES (8, 7, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-2", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}', '4541001f71d8c514', 2, 1, 8);
INSERT INTO public.items VALUES (2, 1, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}', 'bb801c958478668a', 1, 1, 9);
INSERT INTO public.items VALUES (9, 8, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-2", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}', 'dd1d873fd8a2bb3b', 1, 1, 10);
INSERT INTO public.items VALUES (7, 6, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-2", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}', 'a2f5b0ee7617412b', 1, 1, 11);


--
-- Data for Name: judgments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.judgments VALUES (1, 'fixture-0-000', 1, 1, 3, '94b1e02896fef3b0', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.445Z');
INSERT INTO public.judgments VALUES (2, 'fixture-0-001', 2, 1, 10, '0974573c03c7e8e1', 1, '{"ranks": [3, 1, 2]}', '[1, 2, 0]', NULL, '', 1.5, '2026-11-15T15:02:21.481Z');
INSERT INTO public.judgments VALUES (3, 'fixture-0-002', 3, 1, 12, '2a24f62909d1c477', 1, '{"ranks": [1, 3, 2]}', '[0, 2, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.486Z');
INSERT INTO public.judgments VALUES (4, 'fixture-0-003', 4, 1, 5, 'df94e308570f1ae9', 1, '{"ranks": [2, 1, 3]}', '[1, 0, 2]', NULL, '', 1.5, '2026-11-15T15:02:21.506Z');
INSERT INTO public.judgments VALUES (5, 'fixture-0-004', 5, 1, 6, 'f96417d7153cd5b8', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T15:02:21.513Z');
INSERT INTO public.judgments VALUES (6, 'fixture-0-005', 6, 1, 4, '33fb1a9a69e5fd6a', 1, '{"ranks": [1, 4, 2, 3]}', '[0, 2, 3, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.529Z');
INSERT INTO public.judgments VALUES (7, 'fixture-0-006', 7, 1, 1, '895905a6dcf6152c', 1, '{"ranks": [3, 1, 2]}', '[1, 2, 0]', NULL, '', 1.5, '2026-11-15T15:02:21.545Z');
INSERT INTO public.judgments VALUES (8, 'fixture-1-000', 9, 2, 8, '4541001f71d8c514', 1, '{"ranks": [1, 3, 2]}', '[0, 2, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.567Z');
INSERT INTO public.judgments VALUES (9, 'fixture-1-001', 10, 2, 2, 'bb801c958478668a', 1, '{"ranks": [2, 1, 3]}', '[1, 0, 2]', NULL, '', 1.5, '2026-11-15T15:02:21.573Z');
INSERT INTO public.judgments VALUES (10, 'fixture-1-002', 11, 2, 9, 'dd1d873fd8a2bb3b', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.584Z');
INSERT INTO public.judgments VALUES (11, 'fixture-1-003', 12, 2, 7, 'a2f5b0ee7617412b', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.609Z');
INSERT INTO public.judgments VALUES (12, 'fixture-change', 1, 1, 3, '94b1e02896fef3b0', 2, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T15:02:21.630Z');


--
-- Data for Name: segments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.segments VALUES (0, 'doc-0', 'He go to school every day with his friend .', NULL, '{"good": "He goes to school every day with his friend .", "middle": "He goes to school every day with his friend .", "none": "He go to school every day with his friend ."}');
INSERT INTO public.segments VALUES (1, 'doc-0', 'She have two cat and one dog at home .', NULL, '{"good": "She has two cats and one dog at home .", "middle": "She has two cat and one dog at home .", "none": "She have two cat and one dog at home ."}');
INSERT INTO public.segments VALUES (2, 'doc-0', 'I am agree with this idea very much .', NULL, '{"good": "I agree with this idea very much .", "middle": "I agree with this idea very much .", "none": "I am agree with this idea very much ."}');
INSERT INTO public.segments VALUES (3, 'doc-1', 'We was walking in park when it rained .', NULL, '{"good": "We were walking in the park when it rained .", "middle": "We were walking in park when it rained .", "none": "We was walking in park when it rained ."}');
INSERT INTO public.segments VALUES (4, 'doc-1', 'They likes to play football on sunday .', NULL, '{"good": "They like to play football on Sunday .", "middle": "They like to play football on sunday .", "none": "They likes to play football on sunday ."}');
INSERT INTO public.segments VALUES (5, 'doc-1', 'The informations is not correct at all .', NULL, '{"good": "The information is not correct at all .", "middle": "The informations are not correct at all .", "none": "The informations is not correct at all ."}');
INSERT INTO public.segments VALUES (6, 'doc-2', 'He go to school every day with his friend .', NULL, '{"good": "He goes to school every day with his friend .", "middle": "He goes to school every day with his friend .", "none": "He go to school every day with his friend ."}');
INSERT INTO public.segments VALUES (7, 'doc-2', 'She have two cat and one dog at home .', NULL, '{"good": "She has two cats and one dog at home .", "middle": "She has two cat and one dog at home .", "none": "She have two cat and one dog at home ."}');
INSERT INTO public.segments VALUES (8, 'doc-2', 'I am agree with this idea very much .', NULL, '{"good": "I agree with this idea very much .", "middle": "I agree with this idea very much .", "none": "I am agree with this idea very much ."}');
INSERT INTO public.segments VALUES (9, 'doc-3', 'We was walking in park when it rained .', NULL, '{"good": "We were walking in the park when it rained .", "middle": "We were walking in park when it rained .", "none": "We was walking in park when it rained ."}');
INSERT INTO public.segments VALUES (10, 'doc-3', 'They likes to play football on sunday .', NULL, '{"good": "They like to play football on Sunday .", "middle": "They like to play football on sunday .", "none": "They likes to play football on sunday ."}');
INSERT INTO public.segments VALUES (11, 'doc-3', 'The informations is not correct at all .', NULL, '{"good": "The information is not correct at all .", "middle": "The informations are not correct at all .", "none": "The informations is not correct at all ."}');


--
-- Name: annotators_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotators_id_seq', 2, true);


--
-- Name: assignments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.assignments_id_seq', 12, true);


--
-- Name: campaign_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.campaign_id_seq', 1, true);


--
-- Name: items_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.items_id_seq', 12, true);


--
-- Name: judgments_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.judgments_id_seq', 12, true);


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
-- Name: judgments_by_assignment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX judgments_by_assignment ON public.judgments USING btree (assignment, revision, id);


--
-- Name: segments_by_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX segments_by_document ON public.segments USING btree (document, id);


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


