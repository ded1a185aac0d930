/** The steps of fidelity cases as plain data, and how to run one on an engine. */
import { type ErrorCode, RowsmithError } from '../../src/base/index.js';
import {
  collectRows,
  type Cell,
  type DropTarget,
  type Engine,
  type FamilyChange,
  type FamilySchema,
  type Filter,
  type Mutation,
  type ReadModifyWriteRule,
  type Row,
  type RowMutation,
  type TableSchema,
} from '../../src/data/store/index.js';

/** One call. The default table is `t`. */
export type Step =
  | { readonly op: 'mutateRow'; readonly key: Uint8Array; readonly mutations: readonly Mutation[] }
  | { readonly op: 'mutateRows'; readonly rows: readonly RowMutation[] }
  | {
      readonly op: 'check';
      readonly key: Uint8Array;
      readonly predicate?: Filter;
      readonly onTrue?: readonly Mutation[];
      readonly onFalse?: readonly Mutation[];
    }
  | {
      readonly op: 'modify';
      readonly key: Uint8Array;
      readonly rules: readonly ReadModifyWriteRule[];
    }
  | {
      readonly op: 'read';
      readonly filter?: Filter;
      readonly limit?: number;
      readonly reversed?: boolean;
      readonly range?: readonly [Uint8Array, Uint8Array?];
    }
  | { readonly op: 'sample' }
  | { readonly op: 'drop'; readonly target: DropTarget }
  | { readonly op: 'createTable'; readonly schema: TableSchema }
  | { readonly op: 'deleteTable'; readonly table: string }
  | { readonly op: 'updateTable'; readonly deletionProtection: boolean }
  | { readonly op: 'families'; readonly changes: readonly FamilyChange[] }
  | { readonly op: 'schema' }
  | { readonly op: 'compact' }
  | {
      readonly op: 'token';
      /** Checked instead of a generated token. */ readonly bogus?: string;
    }
  /** Advances the clock. */
  | { readonly op: 'wait'; readonly ms: number };

/** The result of a step: rows as text, an error code, or another plain value. */
export type StepResult =
  readonly string[] | ErrorCode | boolean | undefined | Readonly<Record<string, unknown>>;

/** A case of docs/data-model.md. */
export interface FidelityCase {
  /** Identifier in docs/data-model.md: A1, B3, and so on. */
  readonly id: string;
  readonly title: string;
  /** Default onRead. */
  readonly gc?: 'onRead' | 'lazy' | 'manual';
  /** Families of the table `t`; default a and b. */
  readonly families?: Readonly<Record<string, FamilySchema>>;
  readonly granularity?: 'micros';
  readonly steps: readonly (readonly [Step, StepResult])[];
  /** How Google's emulator differs, and the source for our behaviour. */
  readonly emulatorDifference?: string;
}

/** Rows as one line of text each; labels are in brackets after the value. */
export function formatRows(rows: readonly Row[]): string[] {
  return rows.map(({ key, cells }) => `${latin1(key)}{${cells.map(formatCell).join(' ')}}`);
}

function formatCell({ family, qualifier, timestamp, value, labels = [] }: Cell): string {
  const suffix = labels.map((label) => `[${label}]`).join('');
  return `${family}:${latin1(qualifier)}@${timestamp}=${latin1(value)}${suffix}`;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Runs a step; errors are returned as their codes. */
export async function runStep(
  engine: Engine,
  step: Step,
  wait: (ms: number) => void,
): Promise<StepResult> {
  try {
    return await call(engine, step, wait);
  } catch (error) {
    if (error instanceof RowsmithError) return error.code;
    throw error;
  }
}

async function call(engine: Engine, step: Step, wait: (ms: number) => void): Promise<StepResult> {
  switch (step.op) {
    case 'mutateRow':
      await engine.mutateRow('t', step);
      return undefined;
    case 'mutateRows':
      return (await engine.mutateRows('t', step.rows)).map((error) => error?.code ?? 'OK');
    case 'check':
      return engine.checkAndMutateRow('t', step);
    case 'modify':
      return formatRows([await engine.readModifyWriteRow('t', step.key, step.rules)]);
    case 'read': {
      const { filter, limit, reversed = false, range: [start, end] = [new Uint8Array(0)] } = step;
      return formatRows(
        await collectRows(
          engine.readRows({
            table: 't',
            ranges: [end === undefined ? { start } : { start, end }],
            reversed,
            limit,
            filter,
          }),
        ),
      );
    }
    case 'sample':
      return (await engine.sampleRowKeys('t')).map(
        ({ key, offsetBytes }) => `${latin1(key)}@${offsetBytes}`,
      );
    case 'drop':
      await engine.dropRowRange('t', step.target);
      return undefined;
    case 'createTable':
      await engine.createTable(step.schema);
      return undefined;
    case 'deleteTable':
      await engine.deleteTable(step.table);
      return undefined;
    case 'updateTable':
      await engine.updateTable('t', { deletionProtection: step.deletionProtection });
      return undefined;
    case 'families':
      await engine.modifyFamilies('t', step.changes);
      return undefined;
    case 'schema':
      return Object.fromEntries(
        (await engine.listTables()).find(({ name }) => name === 't')!.families,
      );
    case 'compact':
      await engine.compact('t');
      return undefined;
    case 'token':
      return engine.checkConsistency(
        't',
        step.bogus ?? (await engine.generateConsistencyToken('t')),
      );
    case 'wait':
      wait(step.ms);
      return undefined;
  }
}
