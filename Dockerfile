# tabletalk as an image: `docker build -t tabletalk .`, then see docs/start/install.md.
# With BuildKit (the default since Docker 23); the first build takes as long as the first `cargo build --release`.
ARG RUST=1.95
ARG DEBIAN=bookworm

FROM rust:${RUST}-${DEBIAN} AS build
WORKDIR /source
COPY . .
# Caches stay between builds and are no part of the image; so the program is copied out of them.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --release --locked --package tabletalk --features all-stores \
    && install -D target/release/tabletalk /image/bin/tabletalk \
    && install -d /image/share/man/man1 /empty \
    && target/release/tabletalk man > /image/share/man/man1/tabletalk.1

FROM debian:${DEBIAN}-slim
# Certificates of authorities are part of the program, so nothing has to be installed.
COPY --from=build /image/ /usr/local/
COPY --from=build --chown=65532:65532 /empty/ /library/
COPY LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/tabletalk/
USER 65532:65532
# The default library, its keys and what is uploaded; libraries made over the API stand beside it.
ENV TABLETALK_LIBRARY=/library/default \
    TABLETALK_SERVER__LIBRARIES_DIR=/library/more \
    TABLETALK_SERVER__LISTEN=0.0.0.0:7700
VOLUME /library
WORKDIR /library
EXPOSE 7700
# Bash speaks HTTP well enough to ask whether the process answers.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7700 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["tabletalk"]
CMD ["serve"]
