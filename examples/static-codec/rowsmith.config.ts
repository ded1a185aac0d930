import { defineConfig } from 'rowsmith/config';

export default defineConfig({ entities: ['./reading.ts'] });
