import { defineConfig } from 'rowsmith/config';

export default defineConfig({ entities: ['./entities.ts'] });
