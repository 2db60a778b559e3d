import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/proposals.page.css'

await styleSheet(url)
