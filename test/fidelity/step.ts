/**
 * The steps of fidelity cases as plain data, and how one runs on an engine; a client of another
 * back end can run the same data.
 */
/* eslint max-len: off -- a case is a line */
import { RowsmithError, type ErrorCode } from '../../src/errors.js';
import {
  collectRows,
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
} from '../../src/store/index.js';

/** One call. The table is `t` where none is named. */
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
      /** Checked in place of the one that is made. */ readonly bogus?: string;
    }
  /** Moves the clock on. */
  | { readonly op: 'wait'; readonly ms: number };

/** What a step answers: lines of rows, a code, or another plain value. */
export type Answer =
  readonly string[] | ErrorCode | boolean | undefined | Readonly<Record<string, unknown>>;

/** One line of FIDELITY.md. */
export interface FidelityCase {
  /** As in FIDELITY.md: A1, B3... */
  readonly id: string;
  readonly what: string;
  /** Default onRead. */
  readonly gc?: 'onRead' | 'lazy' | 'manual';
  /** Families of the table `t`; default a and b. */
  readonly families?: Readonly<Record<string, FamilySchema>>;
  readonly granularity?: 'micros';
  readonly steps: readonly (readonly [Step, Answer])[];
  /** What Google's emulator does instead, where it differs, and what says that we are right. */
  readonly emulator?: string;
}

/**
 * Rows as one line of text each, in the notation of FIDELITY.md; labels in brackets behind the
 * value.
 */
export function shown(rows: readonly Row[]): string[] {
  return rows.map(
    ({ key, cells }) =>
      `${latin1(key)}{${cells.map(({ family, qualifier, timestamp, value, labels = [] }) => `${family}:${latin1(qualifier)}@${timestamp}=${latin1(value)}${labels.map((label) => `[${label}]`).join('')}`).join(' ')}}`,
  );
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Runs a step; what it refuses is its code. */
export async function runStep(
  engine: Engine,
  step: Step,
  wait: (ms: number) => void,
): Promise<Answer> {
  try {
    return await call(engine, step, wait);
  } catch (error) {
    if (error instanceof RowsmithError) return error.code;
    throw error;
  }
}

async function call(engine: Engine, step: Step, wait: (ms: number) => void): Promise<Answer> {
  switch (step.op) {
    case 'mutateRow':
      await engine.mutateRow('t', step);
      return undefined;
    case 'mutateRows':
      return (await engine.mutateRows('t', step.rows)).map((error) => error?.code ?? 'OK');
    case 'check':
      return engine.checkAndMutateRow('t', step);
    case 'modify':
      return shown([await engine.readModifyWriteRow('t', step.key, step.rules)]);
    case 'read': {
      const { filter, limit, reversed = false, range: [start, end] = [new Uint8Array(0)] } = step;
      return shown(
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
      await engine.updateTable('t', step);
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
