# docker build -t errata-gec . && docker run --rm -v "$PWD:/data" errata-gec score gold.m2 A.txt
FROM python:3.12-slim AS build
# The compiler stays in this stage, and its version follows the base image.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY docs/tagger.md docs/tagger.md
COPY src src
COPY packages packages
RUN python -m venv /opt/errata && /opt/errata/bin/pip install --no-cache-dir '.[cloud,plot,tokenize]' \
    './packages/errata-gec-correct[documents]' './packages/errata-gec-server[postgres]' ./packages/errata-gec-studies

FROM python:3.12-slim
LABEL org.opencontainers.image.title="errata" \
      org.opencontainers.image.description="Evaluation of grammatical error correction" \
      org.opencontainers.image.licenses="Apache-2.0 AND CC-BY-SA-4.0"
COPY --from=build /opt/errata /opt/errata
RUN useradd --create-home --uid 1000 errata
ENV PATH=/opt/errata/bin:$PATH PYTHONUNBUFFERED=1
USER 1000
WORKDIR /data
ENTRYPOINT ["errata"]
CMD ["--help"]
