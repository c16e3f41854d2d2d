import { testOn } from './test-lane.ts';

await testOn('sentinel', 'R2', 'R3', 'R5');
