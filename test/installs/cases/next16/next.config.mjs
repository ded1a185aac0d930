/** @type {import('next').NextConfig} */
export default {
  // The repository around this program has a lock file, which Next would take for the root.
  turbopack: { root: import.meta.dirname },
};
