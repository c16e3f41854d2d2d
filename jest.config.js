/** Real Redis, Prometheus and Alertmanager are found or fetched by test/support; no test sleeps for a fixed time or asserts one. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  // Longer than `eventually` waits, which says more of what is missing than jest does.
  testTimeout: 120_000,
  maxWorkers: 3,
};
