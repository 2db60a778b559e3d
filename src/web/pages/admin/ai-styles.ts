import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/ai.page.css'

await styleSheet(url)
