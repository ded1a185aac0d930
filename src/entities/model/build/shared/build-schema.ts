/** Checks the schemas of a declaration. */
import {
  errorMessage,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { ColumnDeclaration } from '../../declaration/declaration.js';
import type { SchemaModel, TableModel } from '../../model.js';
import type { Report } from './build-context.js';

/** The only version of Standard Schema so far. */
const knownVersion = 1;

type Standard = Readonly<Record<'version' | 'vendor' | 'validate', unknown>>;

/** A declared schema; undefined if there is none, or it is reported. */
export function buildSchema(
  given: unknown,
  report: (fault: FaultText) => void,
): SchemaModel | undefined {
  if (given === undefined) return undefined;
  try {
    const standard = standardOf(given);
    if (standard === undefined) {
      report(faults.notASchema(valueText(given)));
      return undefined;
    }
    const { version, vendor, validate } = standard;
    if (version !== knownVersion) report(faults.otherVersion(valueText(version)));
    else if (typeof validate !== 'function') report(faults.noValidate(valueText(validate)));
    else
      return Object.freeze({
        vendor: typeof vendor === 'string' ? vendor : 'unknown',
        validate: (value: unknown): unknown => Reflect.apply(validate, standard, [value]),
      });
  } catch (error) {
    report(faults.failingSchema(errorMessage(error)));
  }
  return undefined;
}

/** The schema of a column. */
export function columnSchema(
  { property, family, schema }: ColumnDeclaration,
  table: TableModel,
  report: Report,
): SchemaModel | undefined {
  const built = buildSchema(schema, (fault) => report(property, fault));
  if (built !== undefined && table.families.get(family)?.aggregate !== undefined)
    report(property, faults.schemaOfCounters);
  return built;
}

/** A schema may be a function, as in arktype. */
function standardOf(given: unknown): Standard | undefined {
  if (given !== Object(given)) return undefined;
  const standard = (given as { readonly '~standard'?: unknown })['~standard'];
  return standard === Object(standard) ? (standard as Standard) : undefined;
}

const faults = {
  notASchema: (given: string) => ({
    problem: `schema is ${given}, which does not implement Standard Schema ('~standard')`,
    fix: 'give a schema of zod 3.24, valibot 1, arktype 2, or newer: schema: z.string().email()',
  }),
  otherVersion: (version: string) => ({
    problem: `the schema has version ${version} of Standard Schema, and this library knows ${knownVersion}`,
    fix: 'install a release of the schema library that implements version 1',
  }),
  schemaOfCounters: {
    problem: 'it has a schema, and increments of an aggregate family are not judged',
    fix: 'leave the schema out',
  },
  noValidate: (given: string) => ({
    problem: `'~standard'.validate of the schema is ${given}, not a function`,
    fix: 'give a schema of zod, valibot, arktype or another library of Standard Schema',
  }),
  failingSchema: (message: string) => ({
    problem: `reading '~standard' of the schema fails: ${message}`,
    fix: 'correct the schema',
  }),
} satisfies FaultTexts;
