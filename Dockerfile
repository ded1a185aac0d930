# `rowsmith serve` in a container: docker build -t rowsmith . (docs/guide/server.md)
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN npm run build
RUN npm pack --ignore-scripts --pack-destination /tmp
RUN npm install --prefix /app --omit=dev --ignore-scripts --no-audit --no-fund /tmp/rowsmith-*.tgz @grpc/grpc-js@1

FROM node:24-slim
ENV NODE_ENV=production
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8086
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/app/node_modules/.bin/rowsmith", "health"]
ENTRYPOINT ["/app/node_modules/.bin/rowsmith"]
CMD ["serve", "--dir", "/data", "--host", "0.0.0.0"]
