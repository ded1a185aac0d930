/** A thousand scans at a time. */
import { connect as connectHttp2, type ClientHttp2Stream } from 'node:http2';
import { startServer } from '../../src/server/index.js';
import { encodePublished } from '../engines/protocol/published.js';
import { pause, until } from '../support/until.js';
import { instance, tableName } from './raw-client.js';
import { rowBytes, count, serveRows, started } from './open-connections.js';

const rows = serveRows();

test('a thousand scans of clients that do not read use little memory, and complete when they do', async () => {
  const scans = 1000;
  const rowsLimit = 700;
  const server = await startServer(rows.engine, { instance });
  // Plain HTTP/2, because a client library buffers far more than is read from it.
  const sessions = Array.from({ length: 10 }, () => connectHttp2(`http://${server.address}`));
  const message = encodePublished('google.bigtable.v2.ReadRowsRequest', { tableName, rowsLimit });
  const streams = Array.from({ length: scans }, (_, at) =>
    started(sessions[at % sessions.length], message),
  );
  try {
    // All have begun, and none can send more than its window.
    await until(() => count.rows >= scans);
    for (let before = -1; before !== count.rows; await pause(300)) before = count.rows;
    // The window and the current page, of the 280,000 bytes that each has requested.
    expect((count.rows * rowBytes) / scans).toBeLessThan(230_000);
    const responses = await Promise.all(streams.map(finished));
    expect(
      responses.filter(
        ({ grpcStatus, bytes }) => grpcStatus !== '0' || bytes < rowsLimit * rowBytes,
      ),
    ).toEqual([]);
    expect(count.rows).toBe(scans * rowsLimit);
  } finally {
    for (const session of sessions) session.destroy();
    await server.close({ graceMs: 500 });
  }
});

function finished(
  stream: ClientHttp2Stream,
): Promise<{ readonly grpcStatus: string; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let grpcStatus = 'none';
    stream.on('data', (part: Buffer) => void (bytes += part.length));
    stream.on('trailers', (trailers) => void (grpcStatus = String(trailers['grpc-status'])));
    stream.on('end', () => resolve({ grpcStatus, bytes }));
    stream.on('error', reject);
  });
}
