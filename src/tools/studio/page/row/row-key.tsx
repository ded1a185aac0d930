/** The key of a row: its bytes, each part in the colour of its segment. */
import type { JSX } from 'preact';
import type { KeyBytesPart, RowDetail } from '../../protocol/row.js';
import { bytesOf, printableBytes } from '../format/bytes.js';
import { valueText } from '../format/value.js';
import { zone } from '../state/settings.js';
import { entityNamed } from '../state/studio.js';

export function RowKey({ detail }: { readonly detail: RowDetail }): JSX.Element {
  const bytes = bytesOf(detail.key.bytes) ?? new Uint8Array();
  const { parts } = detail.key;
  const segments = parts.filter(({ kind }) => kind === 'segment');
  return (
    <div class="row-key">
      <div class="key-bytes" role="img" aria-label={`Key ${detail.key.printable}`}>
        {parts.map((part) => (
          <span key={part.start} class={lookOf(part, segments)}>
            {printableBytes(bytes.slice(part.start, part.end))}
          </span>
        ))}
      </div>
      <dl class="key-legend">
        {segments.map((part, i) => (
          <div key={part.start}>
            <dt class={`hue-${i % 6}`}>{part.name}</dt>
            <dd>{textOf(part, detail)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function lookOf(part: KeyBytesPart, segments: readonly KeyBytesPart[]): string {
  const at = segments.indexOf(part);
  return at < 0 ? `is-${part.kind}` : `is-segment hue-${at % 6}`;
}

function textOf({ name, value }: KeyBytesPart, { entity }: RowDetail): string {
  const segment = entityNamed(entity)?.key.segments.find((each) => each.name === name);
  return valueText(value ?? null, segment?.kind ?? 'string', zone.value);
}
