/** Rejects every request that would change something. */
import { RowsmithError, type FaultTexts } from '../base/index.js';
import { type AdminRequest, type Engine, type Stage, withStages } from '../data/store/index.js';

const readingKinds: ReadonlySet<AdminRequest['kind']> = new Set([
  'sampleRowKeys',
  'listTables',
  'generateConsistencyToken',
  'checkConsistency',
  'close',
]);

/** Reads from an engine. Everything else rejects with UNSUPPORTED. */
export function readOnly(engine: Engine): Engine {
  return withStages(engine, [rejectChanges(engine.name)]);
}

function rejectChanges(database: string): Stage {
  const reject = (): Promise<never> =>
    Promise.reject(
      new RowsmithError('UNSUPPORTED', {
        database,
        ...faults.readOnly,
      }),
    );
  return {
    write: reject,
    admin: (request, send) => (readingKinds.has(request.kind) ? send(request) : reject()),
  };
}

const faults = {
  readOnly: {
    problem: 'the database was opened with readOnly: true',
    fix: 'open it without readOnly to write to it',
  },
} satisfies FaultTexts;
