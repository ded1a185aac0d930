/** The conformance cases as `rowsmith verify-live` runs them: on a service, in tables of the run. */
import { conformanceCases } from '../../engines/conformance.js';
import { startFaultyServer, titlesOf, verify } from './service.js';

test('after an abort no case runs, and the tables are dropped', async () => {
  const server = await startFaultyServer();
  const controller = new AbortController();
  const reason = new Error('enough');
  const report = await verify(server, {
    signal: controller.signal,
    onResult: ({ title }) => title.startsWith('A8') && controller.abort(reason),
  });
  expect(report).toMatchObject({ error: reason, leftTables: [] });
  expect(titlesOf(report, 'passed')).toHaveLength(5);
  expect(titlesOf(report, 'notRun')).toHaveLength(conformanceCases.length - 5);
  expect(await server.backend.listTables()).toEqual([]);
  await server.close();
});
