/** Checks the arguments of exports, imports and migrations, which may come from JavaScript. */
import { invalidArgument, valueText } from '../../base/index.js';

/** Throws INVALID_ARGUMENT for what is not an engine. */
export function checkEngine(call: string, engine: unknown): void {
  if (has(engine, 'readRows')) return;
  throw invalidArgument('engine', `${call} got ${valueText(engine)}`, 'give db.engine');
}

/** Throws INVALID_ARGUMENT for what is not the model of an entity. */
export function checkModel(call: string, model: unknown): void {
  if (has(model, 'entityClass')) return;
  throw invalidArgument(
    'model',
    `${call} got ${valueText(model)}`,
    'give the model of a repository: db.repository(Entity).model',
  );
}

/** Throws INVALID_ARGUMENT for what is neither a path nor a stream to write to. */
export function checkTarget(to: unknown): void {
  if (typeof to === 'string' ? to !== '' : has(to, 'write')) return;
  throw invalidArgument(
    'to',
    `it is ${valueText(to)}`,
    'give the path of a file, or a stream of Node; Writable.fromWeb(stream) makes one',
  );
}

/** Throws INVALID_ARGUMENT if a required object is missing. */
export function checkGiven(name: string, value: unknown, fix: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw invalidArgument(name, `it is ${valueText(value)}`, fix);
}

function has(value: unknown, name: PropertyKey): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
