import rowsmith from 'rowsmith/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [rowsmith()],
  // A bundler may minify the names of classes: the entity declares its name.
  build: { minify: true },
});
