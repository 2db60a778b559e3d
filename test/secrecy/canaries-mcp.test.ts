import { testCanariesOver } from './canary-walk.ts'

testCanariesOver('mcp')
