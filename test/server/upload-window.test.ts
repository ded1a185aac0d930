/** How much a client may send before the server has read it. */
import { connect } from 'node:http2';
import { until } from '../support/until.js';
import { serveMemory } from './raw-client.js';

const size = 4 * 1024 * 1024;

test('a call and a connection may have 4 MiB on their way', async () => {
  const served = await serveMemory();
  const session = connect(`http://${served.server.address}`);
  // The server widens the windows once there is a connection.
  await until(() => session.remoteSettings?.initialWindowSize === size);
  await until(() => session.state.remoteWindowSize === size);
  session.destroy();
  await served.close();
});
