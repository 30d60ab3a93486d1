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

INSERT INTO public.annotators VALUES (1, 'ann', '14e884a9694bff5753fb5587bfaa032746ccc30c2f171b0f551c4bbc05d6aace', 'active', 'passed', NULL, 12, 12);
INSERT INTO public.annotators VALUES (2, 'bob', '74551c3df92c53e5ed310e5ccd8c83309d0d4f6c2ff80704179f594fee43e80c', 'active', 'passed', NULL, 1, 1);


--
-- Data for Name: assignments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.assignments VALUES (1, 1, 1, 3, false, NULL, '[1, 0]', true);
INSERT INTO public.assignments VALUES (2, 1, 2, 10, false, NULL, '[1, 0, 2]', true);
INSERT INTO public.assignments VALUES (3, 1, 3, 12, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (4, 1, 4, 5, false, NULL, '[1, 2, 0]', true);
INSERT INTO public.assignments VALUES (5, 1, 5, 6, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (6, 1, 6, 4, false, NULL, '[0, 2, 1]', true);
INSERT INTO public.assignments VALUES (7, 1, 7, 1, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (8, 1, 8, 11, false, NULL, '[0, 2, 1]', true);
INSERT INTO public.assignments VALUES (9, 1, 9, 8, false, NULL, '[2, 1, 0]', true);
INSERT INTO public.assignments VALUES (10, 1, 10, 2, false, NULL, '[0, 1, 2]', true);
INSERT INTO public.assignments VALUES (11, 1, 11, 9, false, NULL, '[1, 0]', true);
INSERT INTO public.assignments VALUES (12, 1, 12, 7, false, NULL, '[0, 1]', true);
INSERT INTO public.assignments VALUES (13, 2, 1, 8, false, NULL, '[1, 2, 0]', true);


--
-- Data for Name: campaign; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.campaign VALUES (1, 'Test', '80b500c42517454582c95b65ced7f721', 2, '{"name": "Test", "task": "ranking", "corpus": "/tmp/campaign/b/source.txt", "format": null, "references": [], "meta": ["/tmp/campaign/b/meta.tsv"], "systems": {"good": "/tmp/campaign/b/good.txt", "middle": "/tmp/campaign/b/middle.txt", "none": "/tmp/campaign/b/none.txt"}, "instructions": "", "annotators": ["ann", "bob"], "language": "en", "redundancy": 1, "overlap": 0.1, "repeats": 0.05, "controls": 0.05, "assignment": "balanced", "quota": null, "seed": 1, "cards": 5, "screens": 1, "show_reference": false, "scale": 10, "style": "minimal", "unit": "sentence", "second_pass": false, "qualification": null, "pass_share": 0.7}', 'open', '9ab415bba651011ccf6b50322dddac552dece24b3e94f014785b2758c09822d2', '2026-11-15T21:58:50.409Z', 'e86317a513d144f8bc145bb7fa0e1ec2', NULL);


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.drafts VALUES (1, '{"answer": {"ranks": [1, 2]}, "comment": ""}');


--
-- Data for Name: figures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.figures VALUES (1, 14, '[[["tie", "good", "middle"], 4.0], [["win", "none", "good"], 8.0], [["win", "none", "middle"], 8.0], [["rows"], 14.0], [["done", 1], 12.0], [["work"], 13.0], [["seconds", 1], 18.0], [["time", 1, 15], 12.0], [["win", "middle", "good"], 6.0], [["win", "good", "none"], 5.0], [["win", "middle", "none"], 5.0], [["win", "good", "middle"], 3.0], [["controls", 1], 1.0], [["failed", 1], 1.0], [["met", "1", "2", -1, -1], 2.0], [["rated", 2, -1, -1], 4.0], [["met", "1", "2", -1, 1], 1.0], [["rated", 2, -1, 1], 1.0], [["rated", 2, 1, -1], 1.0], [["done", 2], 1.0], [["seconds", 2], 1.5], [["time", 2, 15], 1.0]]');


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.items VALUES (3, 2, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-0", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}', '9cc4210fa69d1354', 1, 1, 0);
INSERT INTO public.items VALUES (10, 9, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-3", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}', '1a4c9c737c730f06', 1, 1, 1);
INSERT INTO public.items VALUES (12, 11, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-3", "expect": [], "reference": null, "source": "The informations is not correct at all ."}', 'e55f2e2849083af4', 1, 1, 2);
INSERT INTO public.items VALUES (5, 4, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-1", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}', '317b6cb513197835', 1, 1, 3);
INSERT INTO public.items VALUES (6, 5, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "The information is not correct at all ."}, {"systems": ["middle"], "text": "The informations are not correct at all ."}, {"systems": ["none"], "text": "The informations is not correct at all ."}], "document": "doc-1", "expect": [], "reference": null, "source": "The informations is not correct at all ."}', '88323d55e95685ae', 1, 1, 4);
INSERT INTO public.items VALUES (4, 3, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "We were walking in the park when it rained ."}, {"systems": ["middle"], "text": "We were walking in park when it rained ."}, {"systems": ["none"], "text": "We was walking in park when it rained ."}], "document": "doc-1", "expect": [], "reference": null, "source": "We was walking in park when it rained ."}', '9e1176b87e0a754a', 1, 1, 5);
INSERT INTO public.items VALUES (1, 0, 'control', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}, {"systems": ["control:damaged"], "text": "He to school every day day with his . friend"}], "document": "doc-0", "expect": [[1, 2]], "reference": null, "source": "He go to school every day with his friend ."}', '3f4fb04ec2bd234f', 1, 1, 6);
INSERT INTO public.items VALUES (11, 10, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "They like to play football on Sunday ."}, {"systems": ["middle"], "text": "They like to play football on sunday ."}, {"systems": ["none"], "text": "They likes to play football on sunday ."}], "document": "doc-3", "expect": [], "reference": null, "source": "They likes to play football on sunday ."}', '03cf896a87db1add', 1, 1, 7);
INSERT INTO public.items VALUES (2, 1, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-0", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}', '4da9d7d302a722aa', 1, 1, 9);
INSERT INTO public.items VALUES (9, 8, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "I agree with this idea very much ."}, {"systems": ["none"], "text": "I am agree with this idea very much ."}], "document": "doc-2", "expect": [], "reference": null, "source": "I am agree with this idea very much ."}', '8768b52467a840da', 1, 1, 10);
INSERT INTO public.items VALUES (7, 6, 'main', '{"answer": null, "cards": [{"systems": ["good", "middle"], "text": "He goes to school every day with his friend ."}, {"systems": ["none"], "text": "He go to school every day with his friend ."}], "document": "doc-2", "expect": [], "reference": null, "source": "He go to school every day with his friend ."}', '60dcd677975e3cf7', 1, 1, 11);
INSERT INTO public.items VALUES (8, 7, 'main', '{"answer": null, "cards": [{"systems": ["good"], "text": "She has two cats and one dog at home ."}, {"systems": ["middle"], "text": "She has two cat and one dog at home ."}, {"systems": ["none"], "text": "She have two cat and one dog at home ."}], "document": "doc-2", "expect": [], "reference": null, "source": "She have two cat and one dog at home ."}', '5c5a914f159fcf9c', 2, 2, 8);


--
-- Data for Name: judgments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.judgments VALUES (1, '066fd941aa38435b811221a435265692', 1, 1, 3, '9cc4210fa69d1354', 1, '{"ranks": [2, 1]}', '[1, 0]', NULL, '', 1.5, '2026-11-15T21:58:50.855Z');
INSERT INTO public.judgments VALUES (2, '12bd4c7b19c648fa85ff2cd808603037', 2, 1, 10, '1a4c9c737c730f06', 1, '{"ranks": [2, 1, 3]}', '[1, 0, 2]', NULL, '', 1.5, '2026-11-15T21:58:50.917Z');
INSERT INTO public.judgments VALUES (3, 'b5dd85f445664adaaaca71c1941dbfc9', 3, 1, 12, 'e55f2e2849083af4', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T21:58:50.966Z');
INSERT INTO public.judgments VALUES (4, 'a894ca5aad33465eb86a7bd3fb439186', 4, 1, 5, '317b6cb513197835', 1, '{"ranks": [3, 1, 2]}', '[1, 2, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.001Z');
INSERT INTO public.judgments VALUES (5, '2863bf325cec48ebb57d8baf75670e6a', 5, 1, 6, '88323d55e95685ae', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.059Z');
INSERT INTO public.judgments VALUES (6, '693d32105d0c4b48a7d8c46a510121d8', 6, 1, 4, '9e1176b87e0a754a', 1, '{"ranks": [1, 3, 2]}', '[0, 2, 1]', NULL, '', 1.5, '2026-11-15T21:58:51.126Z');
INSERT INTO public.judgments VALUES (7, '2ae881157e404e83a6c56985514aa63b', 7, 1, 1, '3f4fb04ec2bd234f', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.185Z');
INSERT INTO public.judgments VALUES (8, '6b478880717b44a584179a5f3b6defae', 8, 1, 11, '03cf896a87db1add', 1, '{"ranks": [1, 3, 2]}', '[0, 2, 1]', NULL, '', 1.5, '2026-11-15T21:58:51.230Z');
INSERT INTO public.judgments VALUES (9, 'b0b6f52dff424b7f80776d997d553429', 9, 1, 8, '5c5a914f159fcf9c', 1, '{"ranks": [3, 2, 1]}', '[2, 1, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.285Z');
INSERT INTO public.judgments VALUES (10, '8e0ee887928840dfb4718eb1639cc929', 10, 1, 2, '4da9d7d302a722aa', 1, '{"ranks": [1, 2, 3]}', '[0, 1, 2]', NULL, '', 1.5, '2026-11-15T21:58:51.341Z');
INSERT INTO public.judgments VALUES (11, '24eeee9f86c94429aa68b4de29854b7c', 11, 1, 9, '8768b52467a840da', 1, '{"ranks": [2, 1]}', '[1, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.373Z');
INSERT INTO public.judgments VALUES (12, '9efdb0d1780b46168b86910b13a65ef7', 12, 1, 7, '60dcd677975e3cf7', 1, '{"ranks": [1, 2]}', '[0, 1]', NULL, '', 1.5, '2026-11-15T21:58:51.403Z');
INSERT INTO public.judgments VALUES (13, '83ba1125f1b742d3bf4ba55f7bf007ac', 1, 1, 3, '9cc4210fa69d1354', 2, '{"ranks": [2, 1]}', '[1, 0]', NULL, 'changed', 1.5, '2026-11-15T21:58:51.447Z');
INSERT INTO public.judgments VALUES (14, '784d7763ef3b4e67bbce418b59792fb5', 13, 2, 8, '5c5a914f159fcf9c', 1, '{"ranks": [3, 1, 2]}', '[1, 2, 0]', NULL, '', 1.5, '2026-11-15T21:58:51.558Z');


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

SELECT pg_catalog.setval('public.assignments_id_seq', 13, true);


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

SELECT pg_catalog.setval('public.judgments_id_seq', 14, true);


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


