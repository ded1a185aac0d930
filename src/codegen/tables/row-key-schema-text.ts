/** A row_key_schema as the files that gcloud, the API and Terraform take. */
import type { KeyFieldType, KeyStruct, TableKeySchema } from './row-key-schema.js';

/**
 * YAML for `gcloud bigtable tables create|update --row-key-schema-definition-file=F`. The delimiter
 * stands as it is: gcloud encodes it, unless it is called with --row-key-schema-pre-encoded-bytes.
 */
export function rowKeySchemaYaml(table: string, { struct, notes }: TableKeySchema): string {
  const comments = notes.map((note) => `# ${note}`);
  if (struct === undefined)
    return `${[`# Table ${table} has no row_key_schema.`, ...comments].join('\n')}\n`;
  const encoding =
    'orderedCodeBytes' in struct.encoding
      ? ['  orderedCodeBytes: {}']
      : [
          '  delimitedBytes:',
          `    delimiter: ${JSON.stringify(Buffer.from(struct.encoding.delimitedBytes.delimiter, 'base64').toString())}`,
        ];
  const fields = struct.fields.flatMap(({ fieldName, type }) => [
    `- fieldName: ${JSON.stringify(fieldName)}`,
    '  type:',
    ...nested(type, 4),
  ]);
  return `${[`# Row keys of table ${table}, for GoogleSQL.`, ...comments, 'encoding:', ...encoding, 'fields:', ...fields].join('\n')}\n`;
}

/**
 * JSON for the API: the value of `rowKeySchema` in google.bigtable.admin.v2.Table. Undefined where
 * the table has none.
 */
export function rowKeySchemaJson({ struct }: TableKeySchema): string | undefined {
  return struct === undefined ? undefined : `${JSON.stringify(struct, undefined, 2)}\n`;
}

/** What Terraform's `row_key_schema` takes as JSON: the struct as a Type. */
export function rowKeySchemaType(struct: KeyStruct): { readonly structType: KeyStruct } {
  return { structType: struct };
}

function nested(value: KeyFieldType | object, indent: number): string[] {
  return Object.entries(value as Record<string, object>).flatMap(([name, inner]) => {
    const line = `${' '.repeat(indent)}${name}:`;
    return Object.keys(inner).length === 0 ? [`${line} {}`] : [line, ...nested(inner, indent + 2)];
  });
}
