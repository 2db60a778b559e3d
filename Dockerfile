# docker build -t talekeeper . && docker run -p 8020:8020 -v talekeeper:/data talekeeper
FROM node:24-bookworm AS build
COPY . /source
RUN cd /source && npm ci && npm run package -- "linux-$(node -p process.arch)" --no-installers && mv dist/linux-* /talekeeper

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 libstdc++6 && rm -rf /var/lib/apt/lists/* \
    && install -d -o nobody -g nogroup /data
COPY --from=build /talekeeper /usr/lib/talekeeper
USER nobody
VOLUME /data
EXPOSE 8020
ENTRYPOINT ["/usr/lib/talekeeper/talekeeper"]
CMD ["serve"]
