/** Every kind of call of the live engine, with the messages with which a server answers it. */
import { everyKey, pointRange } from '../../../src/base/index.js';
import { collectRows, type Engine, type RowMutation } from '../../../src/data/store/index.js';
import { messagesOf } from '../protocol/chunk-messages.js';
import { encodePublished } from '../protocol/published.js';
import { set, utf8 } from '../conformance.js';
import type { Attempt } from './header-server.js';

/** A row in the messages of ReadRows. */
export const rowMessages = (key: string): readonly Uint8Array[] =>
  messagesOf([
    {
      key: utf8(key),
      cells: [{ family: 'f', qualifier: utf8('q'), timestamp: 1000n, value: utf8('v') }],
    },
  ]);
/** The messages of a row with a cell each. */
export const rowInParts = (key: string, parts: number): readonly Uint8Array[] =>
  Array.from({ length: parts }, (_, n) =>
    message('bigtable.v2.ReadRowsResponse', {
      chunks: [
        {
          rowKey: n === 0 ? utf8(key) : undefined,
          familyName: { value: 'f' },
          qualifier: { value: utf8(`q${n}`) },
          timestampMicros: 1000,
          value: utf8('v'),
          commitRow: n === parts - 1,
        },
      ],
    }),
  );
export const get = (engine: Engine, key: string): Promise<unknown> =>
  collectRows(engine.readRows({ table: 't', ranges: [pointRange(utf8(key))], reversed: false }));
export const rowsOf = (...keys: readonly string[]): readonly RowMutation[] =>
  keys.map((key) => ({ key: utf8(key), mutations: [set('f', 'q', 'v')] }));

/** A call that is retried. */
interface RetriedCall {
  readonly run: (engine: Engine) => Promise<unknown>;
  /** Sends what a successful attempt answers. */
  readonly answer: (attempt: Attempt) => void;
  /** Whether its attempts carry a deadline. */
  readonly hasDeadline: boolean;
}

const message = (type: string, fields: object = {}): Buffer =>
  encodePublished(`google.${type}`, fields);

/** Bulk writes report failures by row: rejects with the first. */
async function writeRows(engine: Engine, ...keys: readonly string[]): Promise<void> {
  for (const error of await engine.mutateRows('t', rowsOf(...keys)))
    if (error !== undefined) throw error;
}

export const retriedCalls: Readonly<Record<string, RetriedCall>> = {
  'a get': {
    run: (engine) => get(engine, 'k'),
    answer: ({ send }) => rowMessages('k').forEach(send),
    hasDeadline: true,
  },
  'gathered gets': {
    run: (engine) => Promise.all([get(engine, 'a'), get(engine, 'b'), get(engine, 'c')]),
    answer: ({ send }) => ['a', 'c'].flatMap(rowMessages).forEach(send),
    hasDeadline: true,
  },
  'a scan': {
    run: (engine) =>
      collectRows(engine.readRows({ table: 't', ranges: [everyKey], reversed: false })),
    answer: ({ send }) => ['a', 'b'].flatMap(rowMessages).forEach(send),
    hasDeadline: false,
  },
  'a write': {
    run: (engine) => engine.mutateRow('t', rowsOf('k')[0]),
    answer: ({ send }) => send(message('bigtable.v2.MutateRowResponse')),
    hasDeadline: true,
  },
  'a bulk write': {
    run: (engine) => writeRows(engine, 'a', 'b'),
    answer: ({ send }) =>
      send(
        message('bigtable.v2.MutateRowsResponse', {
          entries: [
            { index: 0, status: {} },
            { index: 1, status: {} },
          ],
        }),
      ),
    hasDeadline: true,
  },
  'sampling keys': {
    run: (engine) => engine.sampleRowKeys('t'),
    answer: ({ send }) =>
      send(message('bigtable.v2.SampleRowKeysResponse', { rowKey: utf8('m'), offsetBytes: 5 })),
    hasDeadline: true,
  },
  'a read of the admin API': {
    run: (engine) => engine.generateConsistencyToken('t'),
    answer: ({ send }) =>
      send(
        message('bigtable.admin.v2.GenerateConsistencyTokenResponse', {
          consistencyToken: 'token',
        }),
      ),
    hasDeadline: true,
  },
};

/** Calls that are not retried. */
export const singleCalls: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  'a conditional write': (engine) =>
    engine.checkAndMutateRow('t', { key: utf8('k'), onFalse: [set('f', 'q', 'v')] }),
  'an increment': (engine) =>
    engine.readModifyWriteRow('t', utf8('k'), [
      { kind: 'increment', family: 'f', qualifier: utf8('q'), amount: 1n },
    ]),
};
