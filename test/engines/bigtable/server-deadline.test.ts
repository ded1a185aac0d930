/**
 * A server in Go resets the stream of a call when its deadline has passed, and the reset may arrive
 * before our own timer fires: it is the deadline's, not a cancellation. Google's conformance suite
 * found it.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pointRange } from '../../../src/base/index.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { liveUrl } from './live-backends.js';

/** Resets the first call at its deadline, and answers later ones with an empty message. */
const server = `
  const { createServer, constants } = require('node:http2');
  let calls = 0;
  const server = createServer((request, response) => {
    if (calls++ === 0) {
      const [, count, unit] = /(\\d+)(.)/.exec(request.headers['grpc-timeout']);
      const ms = count * { u: 1e-3, m: 1, S: 1000 }[unit];
      return setTimeout(() => response.stream.close(constants.NGHTTP2_CANCEL), ms);
    }
    response.setTrailer('grpc-status', '0');
    response.writeHead(200, { 'content-type': 'application/grpc' });
    response.end(Buffer.alloc(5));
  });
  server.listen(0, () => require('node:worker_threads').parentPort.postMessage(server.address().port));
`;
const attemptTimeoutMs = 200;
const key = new Uint8Array([1]);
const cell = { family: 'f', qualifier: key, timestamp: 1000n, value: key };

let worker: Worker;
let engine: Engine;
beforeEach(async () => {
  worker = new Worker(server, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const settings = { emulatorHost: `127.0.0.1:${port}`, attemptTimeoutMs };
  engine = await openLiveEngine(liveUrl, settings);
});
afterEach(async () => {
  await engine.close();
  await worker.terminate();
});

/** Blocks timers from before the deadline until after it: then the reset is read first. */
function blockTimers(): void {
  const end = performance.now() + attemptTimeoutMs + 50;
  setTimeout(() => {
    while (performance.now() < end);
  }, attemptTimeoutMs - 50);
}

test.each([
  [
    'a write',
    () => engine.mutateRow('t', { key, mutations: [{ kind: 'setCell', ...cell }] }),
    undefined,
  ],
  [
    'a get',
    () => collectRows(engine.readRows({ table: 't', ranges: [pointRange(key)], reversed: false })),
    [],
  ],
])('%s is retried when the server has reset it at its deadline', async (_call, run, result) => {
  blockTimers();
  expect(await run()).toEqual(result);
});
