/** An input for text of several lines: CodeMirror as soon as it is loaded. */
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';

interface EditorProps {
  readonly text: string;
  readonly label: string;
  readonly isJson: boolean;
  readonly onInput: (text: string) => void;
}

export function Editor(props: EditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const onInput = useRef(props.onInput);
  onInput.current = props.onInput;
  useEffect(() => {
    let unmount: (() => void) | undefined;
    let gone = false;
    const mount = async (): Promise<void> => {
      const { mountEditor } = await import('./code-editor.js');
      if (gone || host.current === null) return;
      unmount = mountEditor(host.current, { ...props, onInput: (text) => onInput.current(text) });
    };
    void mount();
    return () => {
      gone = true;
      unmount?.();
    };
  }, []);
  return <div ref={host} class="editor" />;
}
