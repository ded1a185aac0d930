/** docs/request-fields.md. */
import type { Claim, MethodClaims, ServiceClaims } from './claim.js';

export interface DocumentedService {
  readonly service: string;
  readonly claims: ServiceClaims;
  /** All published methods. */
  readonly methods: readonly string[];
}

const columns: readonly Claim[] = ['served', 'kept', 'refused', 'set', 'none'];

export function requestFieldsDocument(services: readonly DocumentedService[]): string {
  return `# Request fields

What \`rowsmith serve\` does with each field of the requests of Bigtable's published services. Nothing is ignored
silently: test/server/request-fields walks all fields of the published protos, sends a request for each, and
compares the response and the state of the server with the same request without the field. Fields of
newer protos that the admin services do not know are UNIMPLEMENTED.

- **served**: the server acts on the field.
- **kept**: the value is checked, stored and returned, and has no other effect. Instances, clusters and access
  policies route nothing and forbid nothing.
- **refused**: a request that sets the field is rejected, and has no effect.
- **set by the server**: the value in a request has no effect (\`OUTPUT_ONLY\` in the protos).
- **no effect**: for the reason given.

With an update mask this holds for the fields that it names. Any other field has no effect, or is refused.

Names of messages stand for all of their fields. The fields of row sets, filters and mutations are described in
[data-model.md](data-model.md); the differential tests generate all of them. Types of families: bytes and strings
are kept, aggregates (sum, min, max of int64) are served, and any other type is refused.

Written by \`UPDATE_GOLDEN=1 npx jest test/server/request-fields\`.
${services.map(section).join('')}`;
}

function section({ service, claims, methods }: DocumentedService): string {
  const offered = methods.filter((method) => claims[method] !== undefined);
  const others = methods.filter((method) => claims[method] === undefined);
  const header = '| method | served | kept | refused | set by the server | no effect |';
  return `
## ${service}

${header}
|---|---|---|---|---|---|
${offered.map((method) => row(method, claims[method])).join('\n')}

UNIMPLEMENTED, with all fields: ${others.join(', ')}.
`;
}

function row(method: string, { fields }: MethodClaims): string {
  const cells = columns.map((column) =>
    Object.entries(fields)
      .filter(([, [claim]]) => claim === column)
      .map(([path, [, , note]]) => `\`${protoName(path)}\`${noteText(note)}`)
      .join(', '),
  );
  return `| ${[method, ...cells].join(' | ')} |`;
}

function noteText(note: string | undefined): string {
  return note === undefined ? '' : ` (${note})`;
}

function protoName(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
