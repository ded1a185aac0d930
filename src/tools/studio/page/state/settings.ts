/** What the user chose for this browser: colours and the zone of times. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(`rowsmith.${name}`);
  } catch {
    return null;
  }
};

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`rowsmith.${name}`, value);
  } catch {
    // A browser that keeps nothing: the choice lasts as long as the page.
  }
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(themes.find((each) => each === kept('theme')) ?? 'system');
/** The zone in which times are shown and typed. */
export const zone = signal(kept('zone') ?? 'UTC');

effect(() => {
  keep('theme', theme.value);
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
effect(() => keep('zone', zone.value));

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length];
}

/** The zones to choose from, near ones first. */
export function zonesToChoose(ofServer: string | undefined): readonly string[] {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set(['UTC', here, ofServer ?? 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
