/** A random history on the engine under test and on an engine in memory: all results are equal. */
import { latin1Text, prefixRange, RowsmithError } from '../../../base/index.js';
import type { Engine, Row } from '../../../data/store/index.js';
import { openEngine } from '../../../engines/index.js';
import { type CaseGroup, type ConformanceCase, caseFamilies } from '../case.js';
import { equal, isOutage, shownValue } from '../assert.js';
import { rowsOf, shown, caseTable, utf8, withSortedFamilies } from '../rows.js';
import { counterPrefix, type HistoryOperation, OperationSource } from './operations.js';

/** Which history. */
export interface RandomHistory {
  readonly seed: number;
  readonly operations: number;
}

/** A group with one history. */
export function historyGroup({ seed, operations }: RandomHistory): CaseGroup {
  const history: ConformanceCase = {
    title: `${operations} random operations have the results of the engine in memory (seed ${seed})`,
    async run({ engine }) {
      const model = await openEngine('memory:');
      try {
        await model.createTable({ name: caseTable, families: caseFamilies });
        await compare(engine, model, { seed, operations });
      } finally {
        await model.close();
      }
    },
  };
  return { title: 'Random history', cases: [history] };
}

async function compare(
  engine: Engine,
  model: Engine,
  { seed, operations }: RandomHistory,
): Promise<void> {
  const source = new OperationSource(seed);
  for (let at = 1; at <= operations; at++) {
    const operation = source.next();
    const expected = await resultOf(model, operation);
    equal(await resultOf(engine, operation), expected, `operation ${at}: ${shownValue(operation)}`);
  }
  for (const rows of [storedRows, counterRows])
    equal(await rows(engine), await rows(model), 'the rows after all operations');
}

/** The result as plain data; of an error the code. */
async function resultOf(engine: Engine, operation: HistoryOperation): Promise<unknown> {
  try {
    return await run(engine, operation);
  } catch (error) {
    if (!(error instanceof RowsmithError) || isOutage(error)) throw error;
    return { error: error.code };
  }
}

async function run(engine: Engine, operation: HistoryOperation): Promise<unknown> {
  switch (operation.kind) {
    case 'write':
      return engine.mutateRow(caseTable, operation.row);
    case 'writeMany': {
      const errors = await engine.mutateRows(caseTable, operation.rows);
      return errors.map((error) => error?.code);
    }
    case 'check':
      return engine.checkAndMutateRow(caseTable, operation);
    case 'increment': {
      const { key, amount } = operation;
      const column = { family: 'a', qualifier: utf8('n') };
      const rules = [{ kind: 'increment' as const, ...column, amount }];
      return valuesOf(await engine.readModifyWriteRow(caseTable, key, rules));
    }
    case 'append': {
      const { key, value } = operation;
      const column = { family: 'b', qualifier: utf8('s') };
      const rules = [{ kind: 'append' as const, ...column, value }];
      return valuesOf(await engine.readModifyWriteRow(caseTable, key, rules));
    }
    case 'read':
      return shown(withSortedFamilies(await rowsOf(engine, operation.plan)));
  }
}

function valuesOf({ cells }: Row): readonly string[] {
  return cells.map(({ family, value }) => `${family}=${latin1Text(value)}`);
}

async function storedRows(engine: Engine): Promise<readonly string[]> {
  return shown(withSortedFamilies(await rowsOf(engine, { ranges: [prefixRange(utf8('r'))] })));
}

/** The newest values of the counters: their timestamps differ. */
async function counterRows(engine: Engine): Promise<readonly unknown[]> {
  const rows = await rowsOf(engine, {
    ranges: [prefixRange(utf8(counterPrefix))],
    filter: { kind: 'cellsPerColumn', count: 1 },
  });
  return withSortedFamilies(rows).map((row) => [latin1Text(row.key), valuesOf(row)]);
}
