/** Code that is only shown, with colours: TypeScript, and commands of a shell. */
import type { JSX } from 'preact';

const tokens =
  /(\/\/.*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)|\b(const|await|for|of|new|import|from|true|false|null|undefined)\b|\b(\d[\d_.]*n?)\b|\b([A-Z]\w*)\b|(\.\w+)(?=\()/g;

const looks = ['text', 'word', 'number', 'type', 'call'];

/** The text in parts, each with its look. */
function partsOf(text: string): readonly { readonly text: string; readonly look?: string }[] {
  const parts: { text: string; look?: string }[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    const look = looks.find((_, i) => match[i + 1] !== undefined);
    parts.push({ text: match[0], look: match[0].startsWith('//') ? 'comment' : look });
    end = match.index + match[0].length;
  }
  parts.push({ text: text.slice(end) });
  return parts;
}

export const Code = ({ text, label }: { readonly text: string; label: string }): JSX.Element => (
  <pre class="code" tabIndex={0} role="region" aria-label={label}>
    <code>
      {partsOf(text).map(({ text: part, look }, i) => (
        <span key={i} class={look === undefined ? undefined : `code-${look}`}>
          {part}
        </span>
      ))}
    </code>
  </pre>
);
