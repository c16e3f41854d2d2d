# Build: docker build -t rootnote .
# Run:   docker run --read-only --tmpfs /tmp -v rootnote-state:/state -p 8080:8080 -e REDIS_URL=… -e ALERTMANAGER_BEARER_TOKENS=… rootnote
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
RUN node scripts/setup.mjs && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 STATE_DIR=/state JOBS_DIR=/app/jobs
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY bin bin
COPY jobs jobs
COPY skills skills
RUN mkdir /state && chown node:node /state
USER node
VOLUME /state
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/rootnote.mjs"]
CMD ["all"]
