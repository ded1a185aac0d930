/** Bytes: offsets, hexadecimal, and the characters of ASCII. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { bytesOf, hexOf } from '../format/bytes.js';
import { bytesText } from '../format/numbers.js';
import { CopyButton } from '../parts/elements.js';

const perLine = 16;
const linesAtFirst = 8;

export function Hex({ base64, size }: { readonly base64: string; size?: number }): JSX.Element {
  const all = useSignal(false);
  const bytes = bytesOf(base64);
  if (bytes === undefined) return <span class="problem">These are no bytes.</span>;
  if (bytes.length === 0) return <span class="quiet">no bytes</span>;
  const shown = all.value ? bytes : bytes.subarray(0, perLine * linesAtFirst);
  return (
    <div class={`hex ${bytes.length <= perLine ? 'is-short' : ''}`}>
      <pre tabIndex={0} role="group" aria-label="Bytes">
        {dump(shown)}
      </pre>
      <p class="bar">
        <span class="quiet">{bytesText(size ?? bytes.length)}</span>
        {shown.length < bytes.length && (
          <button
            type="button"
            class="is-quiet"
            onClick={() => {
              all.value = true;
            }}
          >
            Show {bytesText(bytes.length)}
          </button>
        )}
        <CopyButton text={`0x${hexOf(bytes)}`} what="the bytes as hexadecimal">
          Copy
        </CopyButton>
      </p>
    </div>
  );
}

function dump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += perLine) {
    const line = bytes.subarray(at, at + perLine);
    const hex = Array.from(line, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = Array.from(line, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    ).join('');
    if (bytes.length <= perLine) return `${hex}  ${text}`;
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(perLine * 3 - 1)}  ${text}`);
  }
  return lines.join('\n');
}
