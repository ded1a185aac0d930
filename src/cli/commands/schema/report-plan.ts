/** Plans as text and JSON. */
import { gcRuleText } from '../../../entities/model/index.js';
import {
  type Safety,
  safetyClasses,
  type SchemaPlan,
  type SchemaStep,
  storedRuleText,
} from '../../../entities/repository/index.js';
import type { FamilySchema } from '../../../data/store/index.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { ManualStep } from './manual-steps.js';

const headings: Readonly<Record<Safety, string>> = {
  safe: 'Safe',
  'data-losing': 'Data-losing: made only with --allow-data-loss',
  'unsafe-live': 'Unsafe while the database is in use',
  destructive: 'Destructive: never made by this command',
  impossible: 'Impossible in place: not made by this command',
};
/** Below a step, under its first word. */
const indent = ' '.repeat(10);

/** Prints steps by their class. */
export function printSteps(terminal: Terminal, steps: readonly SchemaStep[]): void {
  for (const safety of safetyClasses) {
    const group = steps.filter((step) => step.safety === safety);
    if (group.length === 0) continue;
    terminal.print(terminal.style.bold(headings[safety]));
    for (const step of group) printStep(terminal, step);
  }
}

/** Prints one step, and below it its consequence. */
function printStep(terminal: Terminal, { change, consequence, applies }: SchemaStep): void {
  const { style } = terminal;
  switch (change.kind) {
    case 'createTable':
      terminal.print(`  ${style.good('create')}  table ${change.table}`);
      for (const [family, schema] of change.schema.families)
        terminal.print(`${indent}family ${family}  ${familyText(schema)}`);
      break;
    case 'createFamily':
      terminal.print(
        `  ${style.good('create')}  family ${change.family} of ${change.table}  ${familyText(change.schema)}`,
      );
      break;
    case 'changeGc':
      terminal.print(
        `  ${style.code('change')}  family ${change.family} of ${change.table}  ` +
          `${storedRuleText(change.from)} -> ${storedRuleText(change.to)}`,
      );
      break;
    case 'setOption': {
      const word = applies ? style.code('set   ') : style.dim('skip  ');
      terminal.print(
        `  ${word}  ${change.option} of ${change.table}  ${change.from} -> ${change.to}`,
      );
      break;
    }
    default: {
      const word = change.kind === 'dropFamily' ? style.dim('keep  ') : style.bad('cannot');
      terminal.print(`  ${word}  family ${change.family} of ${change.table}`);
    }
  }
  terminal.print(`${indent}${style.dim(consequence)}`);
}

/** Prints the steps of other tools. */
export function printManual(terminal: Terminal, steps: readonly ManualStep[]): void {
  if (steps.length === 0) return;
  terminal.print(
    terminal.style.bold('Not applied by this command, and not compared with the instance'),
  );
  for (const { object, name, consequence, generate, command } of steps) {
    terminal.print(`  ${object} ${name}`);
    terminal.print(`${indent}${terminal.style.dim(consequence)}`);
    terminal.print(`${indent}${generate} && ${command}`);
  }
}

/** The JSON of a plan; `changes` has the form that it had before plans had classes. */
export function planJson(plan: SchemaPlan): {
  readonly id: string;
  readonly changes: readonly unknown[];
  readonly steps: readonly unknown[];
} {
  return { id: plan.id, changes: changesJson(plan.steps), steps: plan.steps.map(stepJson) };
}

/** The changes that apply makes. */
export function changesJson(steps: readonly SchemaStep[]): readonly unknown[] {
  return steps.filter(({ applies }) => applies).map(({ change }) => changeJson(change));
}

/** The JSON of one step. */
export function stepJson({ safety, applies, consequence, change }: SchemaStep): object {
  return { safety, applies, consequence, change: changeJson(change) };
}

/** For JSON: maps as objects, rules as text. */
function changeJson(change: SchemaStep['change']): unknown {
  switch (change.kind) {
    case 'createTable': {
      const families = [...change.schema.families].map(([name, schema]) => [
        name,
        jsonFamily(schema),
      ]);
      return {
        kind: change.kind,
        table: change.table,
        families: Object.fromEntries(families) as object,
      };
    }
    case 'createFamily':
      return { ...change, schema: jsonFamily(change.schema) };
    case 'changeGc':
      return { ...change, from: storedRuleText(change.from), to: storedRuleText(change.to) };
    case 'setOption': {
      const { kind, table, option, from, to } = change;
      return { kind, table, option, from, to };
    }
    default:
      return change;
  }
}

function jsonFamily({ gc, aggregate }: FamilySchema): object {
  return { gc: gc === undefined ? 'never' : gcRuleText(gc), aggregate };
}

function familyText({ gc, aggregate }: FamilySchema): string {
  if (aggregate === undefined) return storedRuleText(gc);
  return `${storedRuleText(gc)}  ${aggregate}`;
}
