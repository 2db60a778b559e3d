import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/nights.page.css'

await styleSheet(url)
