/** A row_key_schema as the files that gcloud, the API and Terraform read. */
import { commentLine } from '../comment-line.js';
import type { KeyFieldType, KeyStruct, TableKeySchema } from './row-key-schema.js';

/**
 * YAML for `gcloud bigtable tables create|update --row-key-schema-definition-file=F`. The delimiter
 * is plain text: gcloud encodes it, unless it is called with --row-key-schema-pre-encoded-bytes.
 */
export function rowKeySchemaYaml(table: string, { struct, notes }: TableKeySchema): string {
  const comments = notes.map((note) => commentLine('#', note));
  if (struct === undefined)
    return `${[`# Table ${table} has no row_key_schema.`, ...comments].join('\n')}\n`;
  const fields = struct.fields.flatMap(({ fieldName, type }) => [
    `- fieldName: ${JSON.stringify(fieldName)}`,
    '  type:',
    ...nested(type, 4),
  ]);
  const lines = [
    `# Row keys of table ${table}, for GoogleSQL.`,
    ...comments,
    'encoding:',
    ...encodingLines(struct.encoding),
    'fields:',
    ...fields,
  ];
  return `${lines.join('\n')}\n`;
}

function encodingLines(encoding: KeyStruct['encoding']): readonly string[] {
  if ('orderedCodeBytes' in encoding) return ['  orderedCodeBytes: {}'];
  const delimiter = Buffer.from(encoding.delimitedBytes.delimiter, 'base64').toString();
  return ['  delimitedBytes:', `    delimiter: ${JSON.stringify(delimiter)}`];
}

/**
 * JSON for the API: the value of `rowKeySchema` in google.bigtable.admin.v2.Table. Undefined when
 * the table has none.
 */
export function rowKeySchemaJson({ struct }: TableKeySchema): string | undefined {
  if (struct === undefined) return undefined;
  return `${JSON.stringify(struct, undefined, 2)}\n`;
}

/** What Terraform's `row_key_schema` takes as JSON: the struct as a Type. */
export function rowKeySchemaType(struct: KeyStruct): { readonly structType: KeyStruct } {
  return { structType: struct };
}

function nested(value: KeyFieldType | object, indent: number): string[] {
  return Object.entries(value as Record<string, object>).flatMap(([name, inner]) => {
    const line = `${' '.repeat(indent)}${name}:`;
    if (Object.keys(inner).length === 0) return [`${line} {}`];
    return [line, ...nested(inner, indent + 2)];
  });
}
