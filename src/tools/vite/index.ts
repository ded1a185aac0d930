/** Entry point `rowsmith/vite`. */
export { rowsmith, rowsmith as default, type VitePlugin } from './plugin.js';
