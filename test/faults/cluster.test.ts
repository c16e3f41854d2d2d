import { testOn } from './test-lane.ts';

await testOn('cluster', 'R2', 'R3', 'R5', 'R6');
