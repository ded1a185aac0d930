/** Short messages about what was just done, which screen readers speak. */
import { signal } from '@preact/signals';

export const notice = signal('');

let clearing: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  notice.value = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    notice.value = '';
  }, 4000);
}

/** Copies text, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}`);
  } catch {
    announce('The browser does not allow copying.');
  }
}
