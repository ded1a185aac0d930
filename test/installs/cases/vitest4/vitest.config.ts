import rowsmith from 'rowsmith/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [rowsmith()],
  test: { include: ['notes.vitest.ts'] },
});
