/** Tables that several entities share. */
import type { FamilySchema } from '../../../data/store/index.js';
import { readOptions } from './given-options.js';
import type { TableDeclaration } from './declaration.js';

/**
 * Declares a table and its families for the entities that share it: `@Entity({ table: telemetry
 * })`.
 * @example const telemetry = table('telemetry', { families: { m: { gc: maxVersions(1) } } });
 */
export function table(
  name: string,
  options: { readonly families: Readonly<Record<string, FamilySchema>> },
): TableDeclaration {
  return Object.freeze({ kind: 'table', name, families: readOptions(options).families ?? {} });
}
