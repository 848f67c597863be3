# Arena in a container: docs/howto/containers.md says what the container must be allowed.
FROM debian:bookworm-slim AS build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY constraints.txt pyproject.toml README.md LICENSE /source/
COPY arena /source/arena
COPY bots /source/bots
COPY configs /source/configs
COPY docs/arena.1 /source/docs/arena.1
COPY protocol /source/protocol
COPY referee /source/referee
RUN python3 -m venv /opt/arena \
    && /opt/arena/bin/pip install --quiet --no-cache-dir --disable-pip-version-check \
        --constraint /source/constraints.txt '/source[cluster,league,swiss,web]' \
    && rm -rf /opt/arena/lib/python3*/site-packages/pip*

FROM debian:bookworm-slim
# gcc and make build bots in C; bubblewrap is the sandbox; git takes hand-ins by push.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        bubblewrap ca-certificates gcc git libc6-dev make python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 arena \
    && install -d -o arena -g arena /data
COPY --from=build /opt/arena /opt/arena
ENV PATH=/opt/arena/bin:$PATH
USER arena
WORKDIR /data
VOLUME /data
EXPOSE 8642
ENTRYPOINT ["arena"]
CMD ["doctor"]
