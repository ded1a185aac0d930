/**
 * CodeMirror, in a shadow root: there it uses adopted style sheets, while its style element in the
 * document would need a weaker content security policy. Loaded when the first value is edited.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';

interface EditorOptions {
  readonly text: string;
  readonly label: string;
  readonly isJson: boolean;
  readonly onInput: (text: string) => void;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-type)' },
  { tag: tags.string, color: 'var(--code-text)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--field)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)', minHeight: '3.2em' },
  // Its host shows the focus: it has the border, and clips what is around the editor.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { maxHeight: '40vh', overflow: 'auto' },
});

/** Puts an editor into an element; the result removes it. */
export function mountEditor(host: HTMLElement, options: EditorOptions): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const { text, label, isJson, onInput } = options;
  const extensions = [
    // Otherwise a line that ends in CR LF would lose its CR by any edit.
    EditorState.lineSeparator.of('\n'),
    history(),
    bracketMatching(),
    // Tab leaves the editor, as it leaves any other input.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    syntaxHighlighting(colours),
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onInput(update.state.doc.toString());
    }),
    isJson ? json() : [],
  ];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: text, extensions }),
  });
  return () => view.destroy();
}
