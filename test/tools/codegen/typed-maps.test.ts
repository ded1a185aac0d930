/** Column maps with typed qualifiers in generated documents and SQL. */
import { bigQueryTable } from '../../../src/tools/codegen/sql/bigquery-table.js';
import { dataDictionary } from '../../../src/tools/codegen/documents/data-dictionary.js';
import { jsonSchema } from '../../../src/tools/codegen/documents/json-schema.js';
import { sqlColumns } from '../../../src/tools/codegen/sql/sql-column.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { differences } from '../../../src/tools/testing/matchers/difference.js';
import { Sheet } from '../../entities/repository/support/map-entities.js';

const [model] = buildModels([Sheet]);
const noteOf = (property: string): string | undefined =>
  sqlColumns(
    model,
    model.columns.find((column) => column.property === property)!,
  )[0].note;

test('SQL describes the qualifiers, and computes those that it can', () => {
  expect(noteOf('tags')).toBe('a map from qualifier to string, in bytes');
  expect(noteOf('prices')).toBe(
    'a map from qualifier to double, in bytes; qualifiers are of kind timestamp, 13 digits: ' +
      'TIMESTAMP_MILLIS(CAST(CAST(key AS STRING) AS INT64))',
  );
  expect(noteOf('hits')).toContain('TIMESTAMP_SECONDS(');
  expect(noteOf('news')).toMatch(/of kind timestamp, 13 digits, subtracted from all nines$/);
});

test('the JSON schema restricts the names of entries', () => {
  const { properties } = JSON.parse(jsonSchema(model)) as {
    properties: Record<string, { propertyNames?: object }>;
  };
  expect(properties.tags).toEqual({
    type: 'object',
    additionalProperties: { type: 'string' },
  });
  expect(properties.offsets.propertyNames).toEqual({ pattern: '^-?[0-9]+$' });
  expect(properties.seconds.propertyNames).toEqual({ pattern: '^[0-9]+$' });
  expect(properties.prices.propertyNames).toEqual({ type: 'string', format: 'date-time' });
  expect(properties.levels.propertyNames).toEqual({ enum: ['LOW', 'MID', 'HIGH'] });
});

test('the data dictionary names them', () => {
  const text = dataDictionary(tablesOf([model]));
  expect(text).toContain('map of double, keys timestamp: 13 digits');
  expect(text).toMatch(/map of string +\|/);
});

test('tables are generated for aggregate maps', () => {
  expect(() => bigQueryTable(tablesOf([model])[0], {})).not.toThrow();
});

test('matchers compare Dates in maps by their time', () => {
  const map = (value: number) => new Map([[new Date(5), value]]);
  expect(differences(map(1), map(1), 'm')).toEqual([]);
  expect(differences(map(1), map(2), 'm')).toEqual([
    'm.get(1970-01-01T00:00:00.005Z): expected 1, is 2',
  ]);
});
