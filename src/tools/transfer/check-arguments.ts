/** Checks the arguments of exports, imports and migrations, which may come from JavaScript. */
import { invalidArgument, valueText, type FaultTexts } from '../../base/index.js';

/** Throws INVALID_ARGUMENT for what is not an engine. */
export function checkEngine(call: string, engine: unknown): void {
  if (has(engine, 'readRows')) return;
  throw invalidArgument('engine', faults.notAnEngine(call, engine));
}

/** Throws INVALID_ARGUMENT for what is not the model of an entity. */
export function checkModel(call: string, model: unknown): void {
  if (has(model, 'entityClass')) return;
  throw invalidArgument('model', faults.notAModel(call, model));
}

/** Throws INVALID_ARGUMENT for what is neither a path nor a stream to write to. */
export function checkTarget(to: unknown): void {
  if (typeof to === 'string' ? to !== '' : has(to, 'write')) return;
  throw invalidArgument('to', faults.notATarget(to));
}

/** Throws INVALID_ARGUMENT if a required object is missing. */
export function checkGiven(name: string, value: unknown, fix: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw invalidArgument(name, faults.wrongOption(value, fix));
}

function has(value: unknown, name: PropertyKey): boolean {
  return typeof value === 'object' && value !== null && name in value;
}

const faults = {
  notAnEngine: (call: string, engine: unknown) => ({
    problem: `${call} got ${valueText(engine)}`,
    fix: 'give db.engine',
  }),
  notAModel: (call: string, model: unknown) => ({
    problem: `${call} got ${valueText(model)}`,
    fix: 'give the model of a repository: db.repository(Entity).model',
  }),
  notATarget: (to: unknown) => ({
    problem: `it is ${valueText(to)}`,
    fix: 'give the path of a file, or a stream of Node; Writable.fromWeb(stream) makes one',
  }),
  wrongOption: (value: unknown, fix: string) => ({ problem: `it is ${valueText(value)}`, fix }),
} satisfies FaultTexts;
