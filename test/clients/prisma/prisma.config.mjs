export default { schema: 'schema.prisma' };
