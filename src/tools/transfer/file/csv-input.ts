/** Options of CSV files: the characters, and the names of columns. */
import {
  invalidArgument,
  isMap,
  literalText,
  nearestName,
  type RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { extras } from '../text/row-record.js';
import { type CsvSyntax, defaultCsvSyntax } from './csv-records.js';
import type { RowFormat } from './row-format.js';

/** How a CSV file is read. */
export interface CsvInput {
  readonly syntax: CsvSyntax;
  /** Properties by the name in the header, if that is another one. */
  readonly columns: ReadonlyMap<string, string>;
  readonly ignoreUnknown: boolean;
}

interface CsvInputOptions {
  readonly format: RowFormat;
  readonly delimiter?: string;
  readonly columns?: Readonly<Record<string, string>>;
  readonly maxRecordLength?: number;
  readonly ignoreUnknown?: boolean;
}

/** Longer lines cannot be read, whatever they contain. */
const longestRecord = 1 << 28;

/** Checks the options. Throws INVALID_ARGUMENT. */
export function csvInput(model: EntityModel, options: CsvInputOptions): CsvInput {
  const { format, columns = {}, maxRecordLength = defaultCsvSyntax.maxRecordLength } = options;
  if (format !== 'csv')
    for (const name of ['delimiter', 'columns', 'maxRecordLength'] as const)
      if (options[name] !== undefined) throw onlyCsv(name);
  if (
    !Number.isSafeInteger(maxRecordLength) ||
    maxRecordLength < 1 ||
    maxRecordLength > longestRecord
  )
    throw invalidArgument('maxRecordLength', faults.maximumOutOfRange(maxRecordLength));
  return {
    syntax: { delimiter: checkedDelimiter(options.delimiter), maxRecordLength },
    columns: checkedColumns(model, columns),
    ignoreUnknown: options.ignoreUnknown === true,
  };
}

/** The error of an option of CSV for another format. */
export function onlyCsv(option: string): RowsmithError {
  return invalidArgument(option, faults.optionWithoutCsv(option));
}

/** Throws INVALID_ARGUMENT if it is not one character that can separate fields. */
export function checkedDelimiter(delimiter: unknown = defaultCsvSyntax.delimiter): string {
  if (typeof delimiter === 'string' && /^[^"\r\n\ud800-\udfff\ufeff]$/.test(delimiter))
    return delimiter;
  throw invalidArgument('delimiter', faults.wrongDelimiter(delimiter));
}

function checkedColumns(
  model: EntityModel,
  columns: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const known = [
    ...model.key.names,
    ...model.columns.map(({ property }) => property),
    extras.at,
    extras.older,
  ];
  if (typeof columns !== 'object' || columns === null || isMap(columns))
    throw invalidArgument('columns', faults.wrongColumns(valueText(columns)));
  for (const [name, property] of Object.entries(columns)) {
    if (known.includes(property)) continue;
    const nearest = nearestName(String(property), known);
    let fix = `its properties are ${known.join(', ')}`;
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    throw invalidArgument('columns', faults.unknownProperty(name, property, model.name, fix), {
      entity: model.name,
    });
  }
  return new Map(Object.entries(columns));
}

const faults = {
  maximumOutOfRange: (maxRecordLength: number) => ({
    problem: `the maximum is ${literalText(maxRecordLength)}`,
    fix: `give a whole number of characters from 1 to ${longestRecord}`,
  }),
  optionWithoutCsv: (option: string) => ({
    problem: `${option} is an option of CSV`,
    fix: "leave it out, or import and export with format 'csv'",
  }),
  wrongDelimiter: (delimiter: unknown) => ({
    problem: `the delimiter is ${literalText(delimiter)}`,
    fix: "give one character other than a quote or a line break: ';', '|' or '\\t'",
  }),
  wrongColumns: (given: string) => ({
    problem: `columns is ${given}`,
    fix: "give properties by the names in the file: { 'Device ID': 'device' }",
  }),
  unknownProperty: (name: string, property: string, modelName: string, fix: string) => ({
    problem: `the column '${name}' is mapped to ${literalText(property)}, which is not a property of ${modelName}`,
    fix,
  }),
} satisfies FaultTexts;
