/** docs/request-fields.md. */
import type { Claim, MethodClaims, ServiceClaims } from './claim.js';

export interface DocumentedService {
  readonly service: string;
  readonly claims: ServiceClaims;
  /** All published methods. */
  readonly methods: readonly string[];
}

/** How the page names the claims; served fields are named only if they have a note. */
const names: Readonly<Record<Claim, string>> = {
  served: 'served',
  kept: 'kept',
  refused: 'refused',
  set: 'set by the server',
  none: 'no effect',
};

export function requestFieldsDocument(services: readonly DocumentedService[]): string {
  return `# Request fields

What \`rowsmith serve\` does with the fields of requests; test/server/request-fields sends each published
field. The server acts on every field that is not named here (**served**), except in UNIMPLEMENTED
[calls](fidelity.md#calls). Other fields are:

- **kept**: checked, stored and returned, without another effect.
- **refused**: a request that sets the field is rejected, and has no effect.
- **set by the server**: the value in a request has no effect (\`OUTPUT_ONLY\` in the protos).
- **no effect**: for the reason given.

With an update mask this holds for the fields that it names. Names of messages stand for all of their
fields. Types of families: bytes and strings are kept, aggregates (sum, min, max of int64) are served,
and any other type is refused.

Written by \`UPDATE_GOLDEN=1 npx jest test/server/request-fields\`.
${services.map(section).join('')}`;
}

function section({ service, claims, methods }: DocumentedService): string {
  const offered = methods.filter((method) => claims[method] !== undefined);
  const methodsOf = new Map<string, string[]>();
  for (const method of offered) {
    const text = claimsOf(claims[method]);
    methodsOf.set(text, [...(methodsOf.get(text) ?? []), method]);
  }
  const lines = [...methodsOf]
    .filter(([text]) => text !== '')
    .map(([text, same]) => `- **${same.join(', ')}**: ${text}`);
  return `
## ${service}

${lines.join('\n')}
`;
}

/** `kept: a, b (note); refused: c`; empty if everything is served without a note. */
function claimsOf({ fields }: MethodClaims): string {
  const listed = Object.entries(fields).filter(
    ([, [claim, , note]]) => claim !== 'served' || note !== undefined,
  );
  const parts = Object.entries(names).map(([claim, name]) => {
    const pathsOf = new Map<string | undefined, string[]>();
    for (const [path, [each, , note]] of listed)
      if (each === claim)
        pathsOf.set(note, [...(pathsOf.get(note) ?? []), `\`${protoName(path)}\``]);
    const groups = [...pathsOf].map(([note, paths]) => pathsText(paths, note));
    return groups.length === 0 ? '' : `${name} ${groups.join(', ')}`;
  });
  return parts.filter((part) => part !== '').join('; ');
}

/** Paths that share a note are joined by "and" before it: `a`, `b` and `c` (note). */
function pathsText(paths: readonly string[], note: string | undefined): string {
  if (note === undefined) return paths.join(', ');
  const before = paths.slice(0, -1).join(', ');
  return `${before === '' ? '' : `${before} and `}${paths.at(-1)!} (${note})`;
}

function protoName(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
