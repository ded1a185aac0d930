/** Ajv, which validates values by JSON Schema of draft 2020-12. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** Compiles a schema, given as JSON: the text that `rowsmith generate json-schema` writes. */
export function compiledSchema(json: string): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  return ajv.compile(JSON.parse(json) as object);
}
